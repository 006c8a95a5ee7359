import { appendFile, mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { deathFailure, taskFailure, WorkerLost } from '../../../cmd/docbuilder/engine/failures.ts';
import { createJobFolder } from '../../../cmd/docbuilder/engine/job-folder.ts';
import { countPages } from '../../../cmd/docbuilder/engine/pdf-pages.ts';
import { encoded } from '../../../cmd/docbuilder/engine/result.ts';
import type { EngineTask } from '../../../cmd/docbuilder/engine/task.ts';
import { readWorkerCount } from '../../../cmd/docbuilder/engine/worker-count.ts';
import { type Message, WorkerProcess } from '../../../cmd/docbuilder/engine/worker-process.ts';
import { failure } from '../../support/failure.ts';
import { useFolder } from '../../support/folder.ts';
import { silentLogger } from '../../support/logs.ts';
import { processorTime } from '../../support/processor-time.ts';
import { until } from '../../support/until.ts';

const MiB = 1024 * 1024;

describe('engine: character sets', () => {
  const encode = async (encoding: Parameters<typeof encoded>[1], ...pieces: string[]) =>
    buffer(encoded(pieces, encoding));

  it('Vietnamese text comes back from windows-1258, canonically equal', async () => {
    const letters = fc.constantFrom(...'aăâeêioôơuưyđAĂÂEÊIOÔƠUƯYĐ bcd');
    const tones = fc.constantFrom('', '\u0300', '\u0301', '\u0303', '\u0309', '\u0323');
    const syllables = fc.tuple(letters, tones).filter(([letter, tone]) => tone === '' || /[^bcdđĐ ]/.test(letter));
    await fc.assert(
      fc.asyncProperty(fc.array(syllables), async (pairs) => {
        const text = pairs.flat().join('').normalize('NFC');
        const back = new TextDecoder('windows-1258').decode(await encode('windows-1258', text));
        expect(back.normalize('NFC')).to.equal(text);
      }),
    );
  });

  it('letters are composed first, wherever pieces end', async () => {
    const text = 'Tiếng Việt é ế';
    const apart = text.normalize('NFD');
    const expected = await encode('windows-1258', text);
    expect([...expected]).to.not.include(0x3f);
    for (let cut = 0; cut <= apart.length; cut++) {
      const pieces = [apart.slice(0, cut), apart.slice(cut)];
      expect(await encode('windows-1258', ...pieces), `${cut}`).to.deep.equal(expected);
      const western = await encode('windows-1252', ...pieces);
      expect(western.toString('latin1'), `${cut}`).to.equal('Ti?ng Vi?t \xe9 ?');
    }
  });

  it('marks without number cost no more than their length', async () => {
    const spent = processorTime();
    const heap = Array.from({ length: 64 }, () => '\u0301\u0323'.repeat(1 << 13));
    expect(await encode('windows-1258', 'e', ...heap)).to.have.length.above(1 << 19);
    expect(spent()).to.be.lessThan(5000);
  });

  it('UTF-16 has one byte order mark, however many pieces come; what a set does not have becomes a question mark', async () => {
    expect((await encode('utf-16be', 'a', 'ế')).toString('hex')).to.equal('feff00611ebf');
    expect((await encode('utf-16le', 'a', 'ế')).toString('hex')).to.equal('fffe6100bf1e');
    expect((await encode('windows-1252', '€ 漢')).toString('latin1')).to.equal('\x80 ?');
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

  it('are found in a compressed object stream, at the end of a file that is larger than can be read at once, too', async () => {
    const stream = deflateSync(Buffer.from('1 0 <</Type/Pages/Count 3>>'));
    const head = Buffer.from('<</Type/ObjStm/Filter/FlateDecode>>stream\n');
    const pdf = Buffer.concat([head, stream, Buffer.from('\nendstream')]);
    expect(await readPages(pdf)).to.equal(3);
    const path = await folder.file('%PDF-1.7');
    await truncate(path, 3 * 2 ** 30);
    await appendFile(path, pdf);
    expect(await countPages(path)).to.equal(3);
  });
});

describe('engine: what a worker says', () => {
  const folder = useFolder();
  /** Speaks as a worker does, from JavaScript. */
  const speaking = (script: string) => WorkerProcess.start([process.execPath, '-e', script], {});
  const saying = (text: string, then = '') => speaking(`process.stdout.write(${JSON.stringify(text)});${then}`);

  it('is kept until it is asked for, wherever its lines are cut, and its end answers every question', async () => {
    const rest = `setTimeout(() => process.stdout.write('swer":"done"}\\n{"died":"memory"}\\n{"closed"'), 100)`;
    const worker = await saying('{"ready":true}\n{"an', rest);
    expect(await worker.next('answer')).to.deep.equal({ answer: 'done' });
    expect(await worker.next('closed')).to.equal(undefined);
    expect(worker.lastWords).to.deep.equal({ died: 'memory' });
    const late = await saying('{"ready":true}\n');
    await late.ended;
    expect([await late.next('ready'), await late.next('ready')]).to.deep.equal([{ ready: true }, undefined]);
  });

  it('ends it where it is no line of JSON, has no end, or is more than anybody asks for', async () => {
    const stays = 'setInterval(() => undefined, 1000)';
    const ends = [
      saying('{"a":1}\nnull\n{"b":2}\n', stays),
      saying('x'.repeat(70_000), stays),
      speaking(`setInterval(() => process.stdout.write('{"a":1}\\n'.repeat(1000)), 1)`),
    ];
    const [first] = await Promise.all(ends.map(async (started) => (await started).ended.then(() => started)));
    expect([await first?.next('a'), await first?.next('b')]).to.deep.equal([{ a: 1 }, undefined]);
  });

  const loading = (...asked: string[]): Message => ({ asked, phase: 'load', type: 'x' });
  const ANSWERS: [what: string, answer: Message, reason: string][] = [
    ['a password is asked for', loading('com.sun.star.task.DocumentMSPasswordRequest2'), 'password'],
    ['the disk is full', loading('com.sun.star.ucb.InteractiveAugmentedIOException:OUT_OF_DISK_SPACE'), 'disk_full'],
    ['the package is broken', loading('com.sun.star.packages.zip.BrokenPackageRequest'), 'corrupt'],
    ['the disk was full meanwhile', { phase: 'store', type: 'IOException', free: [MiB - 1, 99] }, 'disk_full'],
    ['the disk could hold no more files', { phase: 'store', type: 'IOException', free: [MiB, 15] }, 'disk_full'],
    ['the disk had room', { phase: 'store', type: 'IOException', free: [MiB, 16] }, 'corrupt'],
    // Its words about outputs belong to the job before.
    ['it cannot be opened', { phase: 'load', output: 1, type: 'x' }, 'corrupt'],
    ['nothing is stored', { phase: 'store', output: 0, type: 'x' }, 'corrupt'],
    ['no pages are stored', { phase: 'store', output: 1, type: 'x' }, 'page_range'],
    ['no page for a picture is stored', { phase: 'store', output: 2, type: 'x' }, 'page_range'],
    ['there is no page to draw', { phase: 'picture', output: 2, type: 'NoPage' }, 'page_range'],
    ['nothing is drawn', { phase: 'picture', output: 2, type: 'PictureFailed' }, 'crashed'],
    ['the machine fails while it is drawn', { phase: 'picture', output: 2, type: 'OSError' }, 'no_worker'],
  ];
  it('is the reason of a failure, or the end of that worker where nothing says why', async () => {
    const outputs = [
      { path: '/o', to: 'docx', options: {} },
      { path: '/o', to: 'pdf', options: { pages: '9' } },
      { path: '/o', to: 'png', image: { page: 7, width: 100, height: 50 } },
    ] as const;
    const task: EngineTask = {
      input: import.meta.filename,
      from: 'docx',
      stem: 's',
      source: {},
      outputs,
      maxOutputBytes: 9,
    };
    for (const [what, answer, reason] of ANSWERS) {
      expect(await taskFailure(answer, task), what).to.include({ reason });
    }
    // With less room than it has bytes, a protected document cannot be decrypted: LibreOffice only says that it was not opened.
    const large = await folder.file('');
    await truncate(large, 2 * MiB);
    const decrypted = { phase: 'load', type: 'RuntimeError', free: [2 * MiB - 1, 99] };
    expect(await taskFailure(decrypted, { ...task, input: large })).to.include({ reason: 'disk_full' });
    // It was opened and stored: what could not be counted afterwards is no fault of it.
    const uncounted: Message = { phase: 'count', type: 'UnknownPropertyException' };
    expect(await taskFailure(uncounted, task)).to.be.instanceOf(WorkerLost);
    expect(deathFailure(undefined)).to.be.instanceOf(WorkerLost);
    for (const died of ['memory', 'output_limit']) expect(deathFailure({ died })).to.include({ reason: died });
    for (const died of ['cpu', 'threads', 'stalled']) expect(deathFailure({ died })).to.include({ reason: 'crashed' });
  });
});

describe('engine: the folder of a job', () => {
  const folder = useFolder();
  it('fails without the name of the document in what is logged, and leaves nothing', async () => {
    const jobs = folder.at('jobs');
    await mkdir(jobs);
    const makeFolder = (input: string) =>
      createJobFolder(jobs, {
        ...{ input, from: 'txt', stem: 'Quyết định sa thải', source: {}, maxOutputBytes: 9 },
        outputs: [{ path: folder.at('result'), to: 'pdf', options: {} }],
      });
    const missing = await failure(makeFolder(folder.at('missing')));
    expect(missing).to.include({ code: 'ENOENT', message: 'copyfile: ENOENT' });
    expect(await readdir(jobs)).to.deep.equal([]);

    const job = await makeFolder(await folder.file('a'));
    await writeFile(folder.at('jobs', job.outputs[0] ?? ''), 'r');
    // Its result has no place to go.
    const unplaced = await failure(job.deliver(0, folder.at('none', 'x'), 9));
    expect(unplaced).to.include({ code: 'ENOENT' });
    for (const error of [missing, unplaced]) expect(`${error?.stack} ${error?.cause}`).to.not.contain('Quy');
    job.remove();
  });
});

describe('the file with the number of workers', () => {
  const folder = useFolder('test');
  const path = () => folder.at('workers');
  const read = () => readWorkerCount({ path: path(), fallback: 4, log: silentLogger(), pollMs: 100 });

  it('holds a number from 1 to 32, or says nothing', async () => {
    for (const [content, count] of Object.entries({
      ...{ '2\n': 2, '32': 32, '1': 1 },
      ...{ '0': 4, '33': 4, '': 4, '1.5': 4, '-2': 4, many: 4, '0x10': 4 },
    })) {
      await writeFile(path(), content);
      expect((await read()).current(), JSON.stringify(content)).to.equal(count);
    }
  });

  it('counts when it comes, changes, and not when it breaks or goes', async () => {
    const workers = await read();
    const seen: number[] = [];
    const stop = workers.watch(() => seen.push(workers.current()));
    expect(workers.current()).to.equal(4);
    await writeFile(path(), '2');
    await until('2 workers', () => workers.current() === 2);
    await writeFile(path(), 'none');
    await writeFile(path(), '3');
    await until('3 workers', () => workers.current() === 3);
    await rm(path());
    await writeFile(path(), '5');
    await until('5 workers', () => workers.current() === 5);
    stop();
    expect(seen).to.deep.equal([2, 3, 5]);
  });
});
