import { expect } from 'chai';
import fc from 'fast-check';
import { assertFitsSheet, CsvSize } from '../../../../cmd/docbuilder/source/csv/csv-size.ts';

const MB = 1024 * 1024;

function sizeOf(text: string, delimiter = ','): [rows: number, columns: number] {
  const size = new CsvSize(delimiter);
  size.add(text);
  return [size.rows, size.columns];
}

function refusal(rows: number, columns: number, letters = 1, cellLetters?: number): unknown {
  try {
    assertFitsSheet({ rows, columns, letters }, 300 * MB, cellLetters);
    return undefined;
  } catch (error) {
    return { ...(error as { code: string; detail: object }) };
  }
}

describe('the size of csv', () => {
  const texts: [text: string, rows: number, columns: number][] = [
    ['', 0, 0],
    ['a', 1, 1],
    ['a,b\r\nc\r\n', 2, 2],
    ['a\rb\rc', 3, 1],
    ['a\n\n\nb\n\n\n', 4, 1],
    ['a,b,,,\n,,,\n', 1, 2],
    ['"a,b\nc","d""e,\n",f\ng', 2, 3],
    ['5",6",7\n8', 2, 3],
    ['""x,""\ny', 2, 2],
  ];
  for (const [text, rows, columns] of texts) {
    it(`of ${JSON.stringify(text)}`, () => {
      expect(sizeOf(text)).to.deep.equal([rows, columns]);
    });
  }

  it('is known with any separator', () => {
    expect(sizeOf('a;b;c,d', ';')).to.deep.equal([1, 3]);
    expect(sizeOf('a\tb', '\t')).to.deep.equal([1, 2]);
  });

  it('has the letters of the longest line of a field, without its quotes', () => {
    const lettersOf = (text: string): number => {
      const size = new CsvSize(',');
      size.add(text);
      return size.letters;
    };
    expect(['', ',\n', 'abc,de\nf', '"a,b\nc",d', '"a""b"', '5"', '"",""'].map(lettersOf)).to.deep.equal([
      0, 0, 3, 3, 3, 2, 0,
    ]);
  });

  it('is not what follows a quote that is never closed', () => {
    const size = new CsvSize(',');
    size.add(`a,b\n"c,d\n${'e,f\n'.repeat(20_000)}`);
    expect(size.letters).to.be.lessThan(10);
  });

  it('is the same however the text is cut', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r'), maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.nat(60), (text, cut) => {
        const size = new CsvSize(',');
        for (const piece of [text.slice(0, cut), text.slice(cut)]) size.add(piece);
        const whole = new CsvSize(',');
        whole.add(text);
        expect(size).to.deep.equal(whole);
      }),
    );
  });

  it('may be that of a sheet, and no more', () => {
    expect(refusal(1_048_576, 16_384)).to.equal(undefined);
    expect(refusal(1, 1, 65_535)).to.equal(undefined);
    expect(refusal(1, 1, 32_767, 32_767)).to.equal(undefined);
    for (const [letters, limit] of [
      [65_536, 65_535],
      [32_768, 32_767],
    ] as const) {
      expect(refusal(1, 1, letters, limit)).to.deep.include({
        code: 'file_too_large',
        detail: { limit_mb: 300, reason: 'too_long_cells', limit_characters: limit },
      });
    }
    expect(refusal(1_048_577, 1)).to.deep.include({
      code: 'file_too_large',
      detail: { limit_mb: 300, reason: 'too_many_rows', limit_rows: 1_048_576 },
    });
    expect(refusal(1, 16_385)).to.deep.include({
      code: 'file_too_large',
      detail: { limit_mb: 300, reason: 'too_many_columns', limit_columns: 16_384 },
    });
  });
});
