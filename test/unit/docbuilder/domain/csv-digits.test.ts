import { expect } from 'chai';
import fc from 'fast-check';
import { CsvDigits } from '../../../../cmd/docbuilder/source/csv/csv-digits.ts';

function kept(...pieces: string[]): string {
  const digits = new CsvDigits(',');
  return pieces.map((piece) => digits.add(piece)).join('') + digits.end();
}

describe('digits of csv', () => {
  for (const [text, expected] of [
    ['0912345678', '"0912345678"'],
    ['a,0912345678\r\n007,b\n', 'a,"0912345678"\r\n"007",b\n'],
    ['+84912345678,1234567890123456789', '"+84912345678","1234567890123456789"'],
    ['-1234567890123456\n', '"-1234567890123456"\n'],
    ['"0912",09', '"0912","09"'],
    ['"a,01\n02""",03\n', '"a,01\n02""","03"\n'],
    ['5",01\n', '5","01"\n'],
  ] as const) {
    it(`are kept in ${JSON.stringify(text)}`, () => {
      expect(kept(text)).to.equal(expected);
    });
  }

  it('leave numbers and all else as they are', () => {
    const others = '0,0.5,-1,+5,12,1e5,123456789012345,01/02/2026,08:30,0a, 01';
    for (const text of [others, '', ',\n,', '"', '"01', '"a"01,02\n03']) expect(kept(text)).to.equal(text);
  });

  it('are kept however the text is cut, and nothing but quotes is added', () => {
    const texts = fc.string({ unit: fc.constantFrom('0', '1', '+', 'a', ',', '"', '\n'), maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.nat(60), (text, cut) => {
        expect(kept(text.slice(0, cut), text.slice(cut))).to.equal(kept(text));
        expect(kept(text).replaceAll('"', '')).to.equal(text.replaceAll('"', ''));
      }),
      { numRuns: 1000 },
    );
  });
});
