import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { encoder } from '../../../../cmd/docbuilder/engine/encode.ts';
import { deathFailure, taskFailure, WorkerLost } from '../../../../cmd/docbuilder/engine/failures.ts';
import { toConversion } from '../../../../cmd/docbuilder/engine/filters.ts';
import { type Message, readLines } from '../../../../cmd/docbuilder/engine/lines.ts';
import { countPages } from '../../../../cmd/docbuilder/engine/pdf-pages.ts';
import type { EngineFailure, EngineOutput, EngineTask, OutputOptions } from '../../../../cmd/docbuilder/engine/task.ts';
import {
  getTargets,
  SOURCE_FORMATS,
  type SourceFormat,
  type TargetFormat,
} from '../../../../cmd/docbuilder/formats.ts';
import type { Encoding } from '../../../../cmd/docbuilder/source/encodings.ts';
import type { SourceOptions } from '../../../../cmd/docbuilder/source/sources.ts';
import { processorTime } from '../../../support/processor-time.ts';

const task = (from: SourceFormat, outputs: EngineTask['outputs'], source: SourceOptions = {}): EngineTask => ({
  ...{ input: '/i', from, stem: 's', source, outputs, maxOutputBytes: 9 },
});
const output = (to: TargetFormat, options: OutputOptions = {}): EngineOutput => ({ path: '/o', to, options });
const image: EngineOutput = { path: '/o', to: 'png', image: { page: 7, width: 100, height: 50 } };

describe('engine: filters', () => {
  it('every pair of the matrix has an import and an export filter, macros off and links untouched', () => {
    for (const from of SOURCE_FORMATS) {
      for (const to of getTargets(from)) {
        const { load, outputs } = toConversion(task(from, [output(to)]));
        expect(load['FilterName'], from).to.be.a('string').and.not.equal('');
        expect(outputs[0]?.store['FilterName'], to).to.be.a('string').and.not.equal('');
        expect(load).to.include({ MacroExecutionMode: 0, UpdateDocMode: 0 });
      }
    }
  });

  it('a spreadsheet is shown when any target is one, and only then', () => {
    const hidden = (from: SourceFormat, ...[first, ...others]: [EngineOutput, ...EngineOutput[]]) =>
      toConversion(task(from, [first, ...others])).load['Hidden'];
    expect(hidden('xlsx', output('ods'))).to.equal(false);
    expect(hidden('xlsx', output('pdf'), image, output('xlsx'))).to.equal(false);
    expect(hidden('xlsx', output('pdf'), image, output('csv'))).to.equal(true);
    expect(hidden('csv', output('xlsx'))).to.equal(true);
    expect(hidden('docx', output('odt'))).to.equal(true);
  });

  it('a picture is made of a PDF of its page alone', () => {
    for (const from of ['docx', 'xlsx', 'pptx'] as const) {
      const { outputs, count } = toConversion(task(from, [image]));
      expect(outputs[0]?.picture).to.deep.equal({ format: 'png', width: 100, height: 50 });
      expect(outputs[0]?.store['FilterName']).to.match(/_pdf_Export$/);
      expect(outputs[0]?.store['FilterData']).to.include({ PageRange: '7' });
      expect(count).to.equal('none');
    }
  });

  it('a csv source and a csv target have each their own delimiter', () => {
    const both = toConversion(task('csv', [output('csv', { delimiter: '|' })], { delimiter: ';' }));
    const options = [both.load['FilterOptions'], both.outputs[0]?.store['FilterOptions']];
    expect(options.map((text) => String(text).split(',')[0])).to.deep.equal(['59', '124']);
    const plain = toConversion(task('ods', [output('csv')]));
    expect(plain.outputs[0]?.store['FilterOptions']).to.match(/^44,34,76,/);
  });
});

describe('engine: character sets', () => {
  const encode = (encoding: Encoding, ...pieces: string[]) => {
    const piece = encoder(encoding);
    return Buffer.concat(pieces.map(piece));
  };

  it('Vietnamese text comes back from windows-1258, canonically equal', () => {
    const letters = fc.constantFrom(...'aăâeêioôơuưyđAĂÂEÊIOÔƠUƯYĐ bcd');
    const tones = fc.constantFrom('', '\u0300', '\u0301', '\u0303', '\u0309', '\u0323');
    const words = fc.array(
      fc.tuple(letters, tones).filter(([letter, tone]) => tone === '' || /[^bcdđĐ ]/.test(letter)),
    );
    fc.assert(
      fc.property(words, (pairs) => {
        const text = pairs
          .map((pair) => pair.join(''))
          .join('')
          .normalize('NFC');
        const back = new TextDecoder('windows-1258').decode(encode('windows-1258', text));
        expect(back.normalize('NFC')).to.equal(text);
      }),
    );
  });

  it('UTF-16 has one byte order mark, however many pieces come', () => {
    expect(encode('utf-16be', 'a', 'ế').toString('hex')).to.equal('feff00611ebf');
    expect(encode('utf-16le', 'a', 'ế').toString('hex')).to.equal('fffe6100bf1e');
    expect(encode('utf-8', 'ế').toString('hex')).to.equal('e1babf');
  });

  it('what a set does not have becomes a question mark', () => {
    expect(encode('windows-1252', '€ 漢').toString('latin1')).to.equal('\x80 ?');
  });
});

describe('engine: pages of a PDF', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-pages-'));
  });
  after(() => rm(folder, { recursive: true }));

  const pagesOf = async (content: Buffer | string) => {
    await writeFile(join(folder, 'x.pdf'), content);
    return countPages(join(folder, 'x.pdf'));
  };

  it('are read from the page tree, the last one where there are several, and far from the end as well', async () => {
    expect(await pagesOf('<</Type/Pages/Kids[1 0 R]\n/Count 1>> <</Type/Pages\n/Kids[]/Count 12>>')).to.equal(12);
    expect(await pagesOf(`<</Type/Pages/Count 7>>${' '.repeat(300_000)}`)).to.equal(7);
  });

  it('are found in time that the length bounds, whatever a title holds', async () => {
    const spent = processorTime();
    const trees = '/Type/Pages'.repeat(200_000);
    expect(await pagesOf(`<</Type/Pages/Count 7>> ${trees} >${' '.repeat(100)}`)).to.equal(7);
    const streams = '/Type/ObjStm'.repeat(200_000);
    expect(await pagesOf(`<</Type/Pages/Count 7>>${' '.repeat(20 << 20)}${streams}`)).to.equal(7);
    expect(await pagesOf(`${streams} stream\nx endstream ${' '.repeat(20 << 20)}`)).to.equal(0);
    expect(spent()).to.be.lessThan(5000);
  }).timeout(30_000);

  it('are found in a compressed object stream', async () => {
    const stream = deflateSync(Buffer.from('1 0 <</Type/Pages/Count 3>>'));
    const pdf = Buffer.concat([
      Buffer.from('<</Type/ObjStm/Filter/FlateDecode>>stream\n'),
      stream,
      Buffer.from('\nendstream'),
    ]);
    expect(await pagesOf(pdf)).to.equal(3);

    // Of more than can be read at once only the end is looked at.
    const path = join(folder, 'large.pdf');
    await writeFile(path, '%PDF-1.7');
    await truncate(path, 3 * 2 ** 30);
    await appendFile(path, pdf);
    expect(await countPages(path)).to.equal(3);
  });
});

describe('engine: what a worker says', () => {
  const read = (...chunks: string[]) => {
    const stream = new PassThrough();
    const messages: Message[] = [];
    let broken = 0;
    readLines(
      stream,
      (message) => messages.push(message),
      () => broken++,
    );
    for (const chunk of chunks) stream.write(chunk);
    return new Promise<{ messages: Message[]; broken: number }>((resolve) => {
      setImmediate(() => resolve({ messages, broken }));
    });
  };

  it('is JSON lines, wherever they are cut', async () => {
    const { messages, broken } = await read('{"a":1}\n{"b"', ':2}\n{"c":3}');
    expect(messages).to.deep.equal([{ a: 1 }, { b: 2 }]);
    expect(broken).to.equal(0);
  });

  it('is broken at the first line that is none, or that never ends', async () => {
    expect(await read('{"a":1}\nnull\n{"b":2}\n')).to.deep.equal({ messages: [{ a: 1 }], broken: 1 });
    expect((await read('x'.repeat(70_000), 'y')).broken).to.equal(1);
  });

  it('decides the reason of a failure', async () => {
    const { from, outputs } = {
      from: 'docx',
      outputs: [output('docx'), output('pdf', { pages: '9' }), image],
    } as const;
    const failed = (answer: Message) => taskFailure(answer, task(from, outputs), tmpdir());
    const failure = async (answer: Message) => ((await failed(answer)) as EngineFailure).reason;
    const reason = (...asked: string[]) => failure({ asked, phase: 'load', type: 'x' });
    expect(await reason('com.sun.star.task.DocumentMSPasswordRequest2')).to.equal('password');
    expect(await reason('com.sun.star.ucb.InteractiveAugmentedIOException:OUT_OF_DISK_SPACE')).to.equal('disk_full');
    expect(await reason('com.sun.star.packages.zip.BrokenPackageRequest')).to.equal('corrupt');
    const stored = (at: number) => failure({ phase: 'store', output: at, type: 'x' });
    expect([await stored(0), await stored(1), await stored(2)]).to.deep.equal(['corrupt', 'page_range', 'page_range']);
    expect(await failure({ phase: 'picture', output: 2, type: 'NoPage' })).to.equal('page_range');
    expect(await failure({ phase: 'picture', output: 2, type: 'PictureFailed' })).to.equal('crashed');
    expect(await failure({ phase: 'picture', output: 2, type: 'OSError' })).to.equal('no_worker');
    // It was opened and stored: what could not be counted afterwards is no fault of it.
    expect(await failed({ phase: 'count', type: 'UnknownPropertyException' })).to.be.instanceOf(WorkerLost);
    expect(deathFailure({ died: 'memory' })).to.include({ reason: 'memory' });
    expect(deathFailure({ died: 'output_limit' })).to.include({ reason: 'output_limit' });
    expect(deathFailure(undefined)).to.be.instanceOf(WorkerLost);
  });
});
