import { expect } from 'chai';
import { assertFitsSheet, CsvReader, type CsvSize } from '../../../cmd/docbuilder/source/csv.ts';
import { processorTime } from '../../support/processor-time.ts';

const MAX_BYTES = 300 * 1024 * 1024;

function read(pieces: readonly string[], delimiter = ','): { text: string; size: CsvSize } {
  const csv = new CsvReader(delimiter);
  const text = pieces.map((piece) => csv.add(piece)).join('');
  return { text, size: csv.size };
}

describe('csv', () => {
  const sizes: [text: string, rows: number, columns: number, letters: number][] = [
    ['', 0, 0, 0],
    [',\n', 0, 0, 0],
    ['a', 1, 1, 1],
    ['a,b\r\nc\r\n', 2, 2, 1],
    ['a\rb\rc', 3, 1, 1],
    ['a\n\n\nb\n\n\n', 4, 1, 1],
    ['a,b,,,\n,,,\n', 1, 2, 1],
    ['abc,de\nf', 2, 2, 3],
    ['"a,b\nc","d""e,\n",f\ng', 2, 3, 4],
    ['"a,b\nc",d', 1, 2, 3],
    ['"a""b"', 1, 1, 3],
    ['5"', 1, 1, 2],
    ['5",6",7\n8', 2, 3, 2],
    ['"",""', 1, 2, 0],
    ['""x,""\ny', 2, 2, 1],
  ];
  for (const [text, rows, columns, letters] of sizes) {
    it(`${JSON.stringify(text)} has ${rows} rows, ${columns} columns and lines of ${letters} letters`, () => {
      expect(read([text]).size).to.deep.equal({ rows, columns, letters });
      expect(read([text.replaceAll(',', ';')], ';').size).to.deep.equal({ rows, columns, letters });
    });
  }

  it('has no long field behind a quote that is never closed', () => {
    expect(read([`a,b\n"c,d\n${'e,f\n'.repeat(20_000)}`]).size.letters).to.be.lessThan(10);
  });

  for (const [text, expected] of [
    ['0912345678', '"0912345678"'],
    ['a,0912345678\r\n007,b\n', 'a,"0912345678"\r\n"007",b\n'],
    ['+84912345678,1234567890123456789', '"+84912345678","1234567890123456789"'],
    ['-1234567890123456\n', '"-1234567890123456"\n'],
    ['"0912",09', '"0912","09"'],
    ['"a,01\n02""",03\n', '"a,01\n02""","03"\n'],
    ['5",01\n', '5","01"\n'],
    ['0912345678 ,\u00a00912345678, +84912345678', '"0912345678 ","\u00a00912345678"," +84912345678"'],
    [' 12345678901234567,12345678901234567.', '" 12345678901234567","12345678901234567."'],
    ['-0123,+0123,0123.5,-0123.', '"-0123","+0123","0123.5","-0123."'],
    ['1234567890123456.7,0123.5', '"1234567890123456.7","0123.5"'],
  ] as const) {
    it(`${JSON.stringify(text)} keeps its digits`, () => expect(read([text]).text).to.equal(expected));
  }

  for (const text of [
    '1,234',
    '1234,567',
    ' -1,234 ',
    '\u00a0+0,123',
    '1,234,567.5',
    '1,234.',
    '1,234e3',
    '1,234.5E-3',
  ]) {
    it(`${JSON.stringify(text)} behind a semicolon is left to the reader`, () => {
      expect(read([`a;${text}\n${text};b`], ';').text).to.equal(`a;"${text}"\n"${text}";b`);
    });
  }

  it('keeps numbers and all else as they are', () => {
    const others =
      '0,0.5,-1,+5,12,1e5,123456789012345,01/02/2026,08:30,0a, 1 ,1+2,0-1,-0,- 01,0 1,0.012345678901234,-1234567890123.45,0.30000000000000004,1234567890123.45678';
    for (const text of [others, '', ',\n,', '"', '"01', '"a"01,02\n03']) {
      expect(read([text]).text).to.equal(text);
    }
    const commas = '12,5;1,2345;1,23,456;1,234,5;,234;1,,234;1,234 đ;1.234;1e300';
    expect(read([commas], ';').text).to.equal(commas);
  });

  it('is scanned in time that its length bounds', () => {
    const spent = processorTime();
    for (const part of ['0', '1', ' ', '0.0', '1,111']) read([`${part.repeat(1 << 18)}x`], ';');
    expect(spent()).to.be.lessThan(2000);
  });

  for (const [size, cellLetters, detail] of [
    [{ rows: 1_048_576, columns: 16_384, letters: 65_535 }, undefined, undefined],
    [{ rows: 1_048_577, columns: 1, letters: 1 }, undefined, { reason: 'too_many_rows', limit_rows: 1_048_576 }],
    [{ rows: 1, columns: 16_385, letters: 1 }, undefined, { reason: 'too_many_columns', limit_columns: 16_384 }],
    [{ rows: 1, columns: 1, letters: 65_536 }, undefined, { reason: 'too_long_cells', limit_characters: 65_535 }],
    [{ rows: 1, columns: 1, letters: 32_767 }, 32_767, undefined],
    [{ rows: 1, columns: 1, letters: 32_768 }, 32_767, { reason: 'too_long_cells', limit_characters: 32_767 }],
  ] as const) {
    it(`of ${Object.values(size)} in cells of ${cellLetters ?? 'any length'} ${detail ? 'is too large' : 'fits'}`, () => {
      const check = () => assertFitsSheet(size, MAX_BYTES, cellLetters);
      if (!detail) return check();
      expect(check)
        .to.throw()
        .that.deep.includes({ code: 'file_too_large', detail: { limit_mb: 300, ...detail } });
    });
  }
});
