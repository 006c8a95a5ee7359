import { expect } from 'chai';
import fc from 'fast-check';
import { jsonPieces } from '../../../../cmd/docbuilder/extract/json-pieces.ts';

describe('JSON in pieces', () => {
  it('is what JSON.stringify makes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect([...jsonPieces(value)].join('')).to.equal(JSON.stringify(value));
      }),
    );
  });

  it('cuts long strings, but no character', () => {
    for (const before of ['', 'x']) {
      const text = `${before}${'😀'.repeat(1_100_000)}"`;
      const pieces = [...jsonPieces({ text })];
      expect(pieces.join('')).to.equal(JSON.stringify({ text }));
      expect(Math.max(...pieces.map(({ length }) => length))).to.be.below(1_100_000);
    }
  });
});
