import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { taskFailure } from '../../cmd/docbuilder/engine/failures.ts';
import type { EngineFailure } from '../../cmd/docbuilder/engine/task.ts';
import { type Bench, createBench, fods, fodt, hungrySheet, isRoot, MiB, paragraph, skip, until } from './support.ts';

const SMALL = fodt(paragraph('Xin chào'));
const failureOf = (work: Promise<unknown>): Promise<EngineFailure> =>
  work.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  );

describe('engine: limits', function () {
  this.timeout(40_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench({ memoryMb: 700 });
  });
  afterEach(() => bench.dispose());

  it('a document that needs more memory than a worker has costs that worker, not the service', async () => {
    const error = await failureOf(bench.convert(hungrySheet(), 'fods', 'ods'));
    expect(error.reason).to.equal('memory');
    expect(bench.engine.status().workers.restarts).to.equal(1);
    await bench.convert(SMALL, 'fodt', 'pdf');
  });

  it('a result over the limit is refused, and an export that writes on and on is ended', async () => {
    const long = fodt(paragraph('Một đoạn văn khá dài. '.repeat(5_000)));
    expect((await failureOf(bench.convert(long, 'fodt', 'txt', { maxOutputBytes: 1000 }))).reason).to.equal(
      'output_limit',
    );
    expect(bench.engine.status().workers.restarts).to.equal(0);
    const cell = `<table:table-cell office:value-type="string">${paragraph('x'.repeat(400))}</table:table-cell>`;
    const tall = `<table:table-row table:number-rows-repeated="1000000">${cell}</table:table-row>`;
    const error = await failureOf(bench.convert(fods(tall), 'fods', 'csv', { maxOutputBytes: MiB }));
    expect(error.reason).to.equal('output_limit');
    expect(bench.engine.status().workers.restarts).to.equal(1);
    await bench.convert(SMALL, 'fodt', 'pdf');
  });

  it('a sheet that the old Excel format has no room for is refused, not cut off', async () => {
    const lines = (rows: number, columns: number) => `${Array(columns).fill('x').join(',')}\n`.repeat(rows);
    for (const [rows, columns, reason] of [
      [65_537, 1, 'too_many_rows'],
      [1, 257, 'too_many_columns'],
    ] as const) {
      expect((await failureOf(bench.convert(lines(rows, columns), 'csv', 'xls'))).reason).to.equal(reason);
      expect((await bench.convert(lines(rows, columns), 'csv', 'xlsx')).bytes.length).to.be.greaterThan(1000);
    }
    for (const [rows, columns] of [
      [65_536, 1],
      [1, 256],
    ] as const) {
      const { bytes } = await bench.convert(lines(rows, columns), 'csv', 'xls');
      const { text } = await bench.convert(bytes, 'xls', 'csv');
      expect(text.trimEnd().split('\n')).to.have.length(rows);
      expect(text.split('\n')[0]?.split(',')).to.have.length(columns);
    }
    const second = fods('<table:table-row><table:table-cell/></table:table-row>')
      .toString()
      .replace(
        '</office:spreadsheet>',
        '<table:table table:name="b"><table:table-row table:number-rows-repeated="70000"><table:table-cell/></table:table-row><table:table-row><table:table-cell office:value-type="float" office:value="1"/></table:table-row></table:table></office:spreadsheet>',
      );
    expect((await failureOf(bench.convert(second, 'fods', 'xls'))).reason).to.equal('too_many_rows');
    const formatted = second.replace('office:value-type="float" office:value="1"', '');
    expect((await bench.convert(formatted, 'fods', 'xls')).bytes.length).to.be.greaterThan(1000);
    expect(bench.engine.status().workers.restarts).to.equal(0);
  });

  it('a text that no cell of Excel has room for is refused, not cut off', async () => {
    const sheet = (...texts: string[]) =>
      fods(
        texts
          .map((text) => `<table:table-cell office:value-type="string">${paragraph(text)}</table:table-cell>`)
          .map((cell) => `<table:table-row><table:table-cell/>${cell}</table:table-row>`)
          .join(''),
      );
    const most = 'x'.repeat(32_767);
    const packed = (await bench.convert(sheet('a', `${most}x`), 'fods', 'ods')).bytes;
    // Two units each, in UTF-16.
    const wide = '😀'.repeat(16_384);
    for (const [source, from] of [
      [sheet('a', `${most}x`, 'b'), 'fods'],
      [sheet(wide), 'fods'],
      [packed, 'ods'],
    ] as const) {
      for (const to of ['xlsx', 'xls'] as const) {
        expect((await failureOf(bench.convert(source, from, to))).reason, to).to.equal('too_long_cells');
      }
      expect((await bench.convert(source, from, 'csv')).text.length).to.be.greaterThan(32_767);
    }
    const fits = sheet(most, 'ế'.repeat(32_767), `a&amp;${'&amp;'.repeat(20_000)}`);
    for (const to of ['xlsx', 'xls'] as const) {
      const { bytes } = await bench.convert(fits, 'fods', to);
      expect((await bench.convert(bytes, to, 'csv')).text).to.equal((await bench.convert(fits, 'fods', 'csv')).text);
    }
  });

  it('a full disk is said to be that', async function () {
    if (!isRoot) skip(this, 'only root can mount a small file system');
    const workDir = await mkdtemp(join(tmpdir(), 'svc-test-small-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', workDir]);
    let small: Bench | undefined;
    try {
      small = await createBench({ workDir });
      const large = Buffer.alloc(8 * MiB, 'x');
      expect((await failureOf(small.convert(large, 'txt', 'txt'))).reason).to.equal('disk_full');
      const grows = fodt(paragraph(`Một dòng<text:line-break/>${'x<text:s text:c="60000"/>'.repeat(120)}`));
      expect((await failureOf(small.convert(grows, 'fodt', 'txt'))).reason).to.equal('disk_full');
      // LibreOffice still holds the file for the moment that it closes the document.
      await until(() => statfsSync(workDir).bavail * statfsSync(workDir).bsize > 5 * MiB, 'the disk is free again');
      await small.convert(SMALL, 'fodt', 'pdf');
      // A protected document is decrypted into a file while it is opened; LibreOffice only says that it was not.
      const { bavail, bsize } = statfsSync(workDir);
      await writeFile(join(workDir, 'ballast'), new Uint8Array(bavail * bsize));
      const outputs = [{ path: '/o', to: 'pdf', options: {} }] as const;
      const task = {
        input: '/i',
        from: 'docx',
        stem: 's',
        source: { password: 'x' },
        outputs,
        maxOutputBytes: 9,
      } as const;
      const opened = await taskFailure({ phase: 'load', type: 'RuntimeError' }, task, workDir);
      expect(opened).to.include({ reason: 'disk_full' });
      await rm(join(workDir, 'ballast'));
    } finally {
      await small?.dispose();
      execFileSync('umount', ['-l', workDir]);
      await rm(workDir, { recursive: true, force: true });
    }
  });
});
