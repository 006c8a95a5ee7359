import { expect } from 'chai';
import { fittingSize } from '../../../../cmd/docbuilder/script/slides/fit.ts';
import { processorTime } from '../../../support/processor-time.ts';

describe('font sizes that fit', () => {
  const box = { width: 300, height: 22 };

  it('are as wanted for a short text and smaller the longer it is', () => {
    const sizes = [10, 100, 200, 400, 800].map((length) =>
      fittingSize([{ text: 'tài liệu '.repeat(length / 10) }], box, 32, 'Arial'),
    );
    expect(sizes[0]).to.equal(32);
    expect(sizes).to.deep.equal(sizes.toSorted((left, right) => right - left));
    expect(new Set(sizes).size).to.be.greaterThan(3);
  });

  it('are the smallest for more than fits anywhere, unread', () => {
    const marks = `a${'\u0301\u0323'.repeat(49_000)}`;
    const text = Array.from({ length: 200 }, () => ({ text: marks }));
    const spent = processorTime();
    expect(fittingSize(text, { width: 1000, height: 1000 }, 18, 'Arial')).to.equal(8);
    expect(spent()).to.be.below(1000);
  });
});
