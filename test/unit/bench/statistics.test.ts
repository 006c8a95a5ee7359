import { expect } from 'chai';
import { geometricMean, median, pairedRatio, quantile, seededRandom, shuffled } from '../../../bench/statistics.ts';

describe('the statistics of the benchmark', () => {
  it('find quantiles between neighbours, in whatever order the values come', () => {
    expect([0, 0.5, 1].map((share) => quantile([40, 10, 30, 20], share))).to.deep.equal([10, 25, 40]);
    expect(quantile([100, 9], 0.5)).to.equal(54.5);
    expect(median([])).to.be.NaN;
  });

  it('compare rounds with themselves, so that a slow round does not count', () => {
    expect(pairedRatio([20, 2000, 40], [10, 1000, 10])).to.equal(2);
  });

  it('average ratios so that twice as fast and half as fast cancel out', () => {
    expect(geometricMean([2, 0.5])).to.be.closeTo(1, 1e-12);
    expect(geometricMean([8, 2])).to.be.closeTo(4, 1e-12);
  });

  it('give the same random numbers for the same seed, evenly spread, and shuffle without losing anything', () => {
    const draw = (seed: number) => Array.from({ length: 2000 }, seededRandom(seed));
    expect(draw(1)).to.deep.equal(draw(1)).and.not.to.deep.equal(draw(2));
    expect(median(draw(3))).to.be.closeTo(0.5, 0.05);
    const items = Array.from({ length: 50 }, (_, index) => index);
    const mixed = shuffled(items, seededRandom(5));
    expect(mixed).not.to.deep.equal(items);
    expect(mixed.toSorted((a, b) => a - b)).to.deep.equal(items);
  });
});
