import { expect } from 'chai';
import fc from 'fast-check';
import { quantityValue, sameQuantity } from '../../../../cmd/controller/reconcile/live-object.ts';

describe('quantities', () => {
  it('are the numbers that they stand for', () => {
    for (const [text, value] of [
      ['1', 1],
      ['500m', 0.5],
      ['.5', 0.5],
      ['2Gi', 2 ** 31],
      ['1e3', 1000],
      ['1.5k', 1500],
      ['-1', -1],
    ] as const) {
      expect(quantityValue(text), text).to.equal(value);
    }
  });

  it('are none when the API server would refuse them', () => {
    for (const text of ['', 'x', '1 Gi', '1gi', '1KiB', null, {}]) expect(quantityValue(text)).to.equal(undefined);
  });

  it('are the same in whatever unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (n) => {
        expect(sameQuantity(`${n}Gi`, `${n * 1024}Mi`)).to.equal(true);
        expect(sameQuantity(`${n}`, `${n * 1000}m`)).to.equal(true);
        expect(sameQuantity(`${n}m`, `${n + 1}m`)).to.equal(false);
      }),
    );
  });
});
