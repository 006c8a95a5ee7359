import { expect } from 'chai';
import { fittingSize } from '../../../../cmd/docbuilder/script/slides/fit.ts';
import { buildFlat } from '../../../../cmd/docbuilder/script/write-script.ts';
import type { Slide } from '../../../../src/common/generated/script.ts';
import { processorTime } from '../../../support/processor-time.ts';

/** The pieces that slides are made of, as they are made. */
function toBody(slides: Slide[]): Iterable<string> {
  return buildFlat(
    { svcscript: 1, type: 'slides', save: [{ format: 'pptx' }], slides },
    { pictures: new Map(), now: new Date('2026-11-21T08:00:00Z') },
  ).body;
}

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

  it('are found by measuring a text once, however many sizes are tried', () => {
    const text = 'chữ nghĩa việt '.repeat(6600);
    const place = { x: 0, y: 0, width: 500, height: 500 };
    const cell = { text, size: 8 };
    const slide: Slide = {
      layout: 'blank',
      elements: [
        ...Array.from({ length: 20 }, () => ({ type: 'text', ...place, text }) as const),
        { type: 'bullets', ...place, items: Array.from({ length: 20 }, () => text) },
        { type: 'table', ...place, rows: Array.from({ length: 10 }, () => [cell, cell]) },
      ],
    };
    const spent = processorTime();
    expect([...toBody([slide])].join('')).to.have.length.above(40 * text.length);
    expect(spent()).to.be.below(3000);
  });
});
