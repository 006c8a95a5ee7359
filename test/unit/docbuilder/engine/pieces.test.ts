import { appendFile, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { encoder } from '../../../../cmd/docbuilder/engine/encode.ts';
import { deathFailure, taskFailure, WorkerLost } from '../../../../cmd/docbuilder/engine/failures.ts';
import { type Message, readLines } from '../../../../cmd/docbuilder/engine/lines.ts';
import { countPages } from '../../../../cmd/docbuilder/engine/pdf-pages.ts';
import type { EngineOutput, EngineTask, OutputOptions } from '../../../../cmd/docbuilder/engine/task.ts';
import type { Encoding, SourceFormat, TargetFormat } from '../../../../cmd/docbuilder/formats.ts';
import type { SourceOptions } from '../../../../cmd/docbuilder/source/sources.ts';
import { useFolder } from '../../../support/folder.ts';
import { processorTime } from '../../../support/processor-time.ts';

const task = (from: SourceFormat, outputs: EngineTask['outputs'], source: SourceOptions = {}): EngineTask => ({
  ...{ input: '/i', from, stem: 's', source, outputs, maxOutputBytes: 9 },
});
const output = (to: TargetFormat, options: OutputOptions = {}): EngineOutput => ({ path: '/o', to, options });
const image: EngineOutput = { path: '/o', to: 'png', image: { page: 7, width: 100, height: 50 } };

describe('engine: character sets', () => {
  const encode = (encoding: Encoding, ...pieces: string[]) => {
    const piece = encoder(encoding);
    return Buffer.concat(pieces.map(piece));
  };

  it('Vietnamese text comes back from windows-1258, canonically equal', () => {
    const letters = fc.constantFrom(...'aăâeêioôơuưyđAĂÂEÊIOÔƠUƯYĐ bcd');
    const tones = fc.constantFrom('', '\u0300', '\u0301', '\u0303', '\u0309', '\u0323');
    const syllables = fc.tuple(letters, tones).filter(([letter, tone]) => tone === '' || /[^bcdđĐ ]/.test(letter));
    fc.assert(
      fc.property(fc.array(syllables), (pairs) => {
        const text = pairs.flat().join('').normalize('NFC');
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
  const folder = useFolder();
  const readPages = async (content: Buffer | string) => countPages(await folder.file(content));

  it('are read from the page tree, the last one where there are several, and far from the end as well', async () => {
    expect(await readPages('<</Type/Pages/Kids[1 0 R]\n/Count 1>> <</Type/Pages\n/Kids[]/Count 12>>')).to.equal(12);
    expect(await readPages(`<</Type/Pages/Count 7>>${' '.repeat(300_000)}`)).to.equal(7);
  });

  it('are found in time that the length bounds, whatever a title holds', async () => {
    const spent = processorTime();
    const trees = '/Type/Pages'.repeat(200_000);
    expect(await readPages(`<</Type/Pages/Count 7>> ${trees} >${' '.repeat(100)}`)).to.equal(7);
    const streams = '/Type/ObjStm'.repeat(200_000);
    expect(await readPages(`<</Type/Pages/Count 7>>${' '.repeat(20 << 20)}${streams}`)).to.equal(7);
    expect(await readPages(`${streams} stream\nx endstream ${' '.repeat(20 << 20)}`)).to.equal(0);
    expect(spent()).to.be.lessThan(5000);
  }).timeout(30_000);

  it('are found in a compressed object stream', async () => {
    const stream = deflateSync(Buffer.from('1 0 <</Type/Pages/Count 3>>'));
    const head = Buffer.from('<</Type/ObjStm/Filter/FlateDecode>>stream\n');
    const pdf = Buffer.concat([head, stream, Buffer.from('\nendstream')]);
    expect(await readPages(pdf)).to.equal(3);

    // Only the end is looked at where a file is more than can be read at once.
    const path = await folder.file('%PDF-1.7');
    await truncate(path, 3 * 2 ** 30);
    await appendFile(path, pdf);
    expect(await countPages(path)).to.equal(3);
  });
});

describe('engine: what a worker says', () => {
  const read = (...chunks: string[]) => {
    const stream = new PassThrough();
    const found = { messages: [] as Message[], broken: 0 };
    readLines(
      stream,
      (message) => found.messages.push(message),
      () => found.broken++,
    );
    for (const chunk of chunks) stream.write(chunk);
    return new Promise<typeof found>((resolve) => setImmediate(() => resolve(found)));
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

  const outputs = [output('docx'), output('pdf', { pages: '9' }), image] as const;
  const loading = (...asked: string[]): Message => ({ asked, phase: 'load', type: 'x' });
  for (const [what, answer, reason] of [
    ['a password is asked for', loading('com.sun.star.task.DocumentMSPasswordRequest2'), 'password'],
    ['the disk is full', loading('com.sun.star.ucb.InteractiveAugmentedIOException:OUT_OF_DISK_SPACE'), 'disk_full'],
    ['the package is broken', loading('com.sun.star.packages.zip.BrokenPackageRequest'), 'corrupt'],
    ['nothing is stored', { phase: 'store', output: 0, type: 'x' }, 'corrupt'],
    ['no pages are stored', { phase: 'store', output: 1, type: 'x' }, 'page_range'],
    ['no page for a picture is stored', { phase: 'store', output: 2, type: 'x' }, 'page_range'],
    ['there is no page to draw', { phase: 'picture', output: 2, type: 'NoPage' }, 'page_range'],
    ['nothing is drawn', { phase: 'picture', output: 2, type: 'PictureFailed' }, 'crashed'],
    ['the machine fails while it is drawn', { phase: 'picture', output: 2, type: 'OSError' }, 'no_worker'],
  ] as [string, Message, string][]) {
    it(`is ${reason} where ${what}`, async () => {
      expect(await taskFailure(answer, task('docx', outputs), tmpdir())).to.include({ reason });
    });
  }

  it('is the end of that worker where nothing says why', async () => {
    // It was opened and stored: what could not be counted afterwards is no fault of it.
    const uncounted: Message = { phase: 'count', type: 'UnknownPropertyException' };
    expect(await taskFailure(uncounted, task('docx', outputs), tmpdir())).to.be.instanceOf(WorkerLost);
    expect(deathFailure(undefined)).to.be.instanceOf(WorkerLost);
    for (const died of ['memory', 'output_limit']) expect(deathFailure({ died })).to.include({ reason: died });
  });
});
