import { expect } from 'chai';
import { slowSheet } from '../support/slow-sheet.ts';
import { createBench, findFailure, fods, fodt, hungrySheet, MiB, paragraph, useBench } from './support.ts';

const SMALL = fodt(paragraph('Xin chào'));

describe('engine: limits', function () {
  this.timeout(100_000);
  const bench = useBench({ memoryMb: 640 });
  let restarts: number;
  beforeEach(() => {
    restarts = bench.restarts();
  });

  it('a document that needs more memory than a worker has costs that worker, not the service', async () => {
    const signal = AbortSignal.timeout(90_000);
    const error = await findFailure(bench.convert(hungrySheet(), 'fods', 'ods', { signal }));
    expect(error.reason).to.equal('memory');
    expect(bench.restarts()).to.equal(restarts + 1);
    await bench.convert(SMALL, 'fodt', 'pdf');
  });

  it('a job that uses up its CPU time is ended, and not tried again', async () => {
    const own = await createBench({ jobTimeoutSeconds: 1 });
    const error = await findFailure(own.convert(slowSheet(60), 'fods', 'ods', { signal: AbortSignal.timeout(90_000) }));
    expect(error.message).to.match(/^cpu: /);
    expect(own.restarts()).to.equal(1);
    await own.dispose();
  });

  it('a result over the limit is refused, and an export that writes on and on is ended', async () => {
    const long = fodt(paragraph('Một đoạn văn khá dài. '.repeat(5_000)));
    expect((await findFailure(bench.convert(long, 'fodt', 'txt', { maxOutputBytes: 1000 }))).reason).to.equal(
      'output_limit',
    );
    expect(bench.restarts()).to.equal(restarts);
    const cell = `<table:table-cell office:value-type="string">${paragraph('x'.repeat(400))}</table:table-cell>`;
    const tall = `<table:table-row table:number-rows-repeated="400000">${cell}</table:table-row>`;
    const error = await findFailure(bench.convert(fods(tall), 'fods', 'csv', { maxOutputBytes: MiB }));
    expect(error.reason).to.equal('output_limit');
    expect(bench.restarts()).to.equal(restarts + 1);
    await bench.convert(SMALL, 'fodt', 'pdf');
  });

  it('a sheet that the old Excel format has no room for is refused, not cut off', async () => {
    const lines = (rows: number, columns: number) => `${Array(columns).fill('x').join(',')}\n`.repeat(rows);
    for (const [rows, columns, reason] of [
      [65_536, 1, 'too_many_rows'],
      [1, 256, 'too_many_columns'],
    ] as const) {
      const more = lines(rows === 1 ? 1 : rows + 1, columns === 1 ? 1 : columns + 1);
      expect((await findFailure(bench.convert(more, 'csv', 'xls'))).reason).to.equal(reason);
      expect((await bench.convert(more, 'csv', 'xlsx')).bytes.length).to.be.greaterThan(1000);
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
    expect((await findFailure(bench.convert(second, 'fods', 'xls'))).reason).to.equal('too_many_rows');
    const formatted = second.replace('office:value-type="float" office:value="1"', '');
    expect((await bench.convert(formatted, 'fods', 'xls')).bytes.length).to.be.greaterThan(1000);
    expect(bench.restarts()).to.equal(restarts);
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
        expect((await findFailure(bench.convert(source, from, to))).reason, to).to.equal('too_long_cells');
      }
      expect((await bench.convert(source, from, 'csv')).text.length).to.be.greaterThan(32_767);
    }
    const fits = sheet(most, 'ế'.repeat(32_767), `a&amp;${'&amp;'.repeat(20_000)}`);
    for (const to of ['xlsx', 'xls'] as const) {
      const { bytes } = await bench.convert(fits, 'fods', to);
      expect((await bench.convert(bytes, to, 'csv')).text).to.equal((await bench.convert(fits, 'fods', 'csv')).text);
    }
  });
});
