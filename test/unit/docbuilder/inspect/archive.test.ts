import { expect } from 'chai';
import {
  ARCHIVE_LIMITS,
  type ArchiveEntry,
  admitEntry,
  newBudget,
} from '../../../../cmd/docbuilder/source/inspect/archive.ts';
import { AppError } from '../../../../src/common/errors.ts';

const entry: ArchiveEntry = { name: 'a', compressedSize: 10, size: 20, encrypted: false, method: 8 };

describe('what an archive may hold', () => {
  /** Why the last of the entries is not let in; undefined where all are. */
  function refusal(...entries: Partial<ArchiveEntry>[]): unknown {
    const [names, budget] = [new Set<string>(), newBudget()];
    try {
      for (const [index, change] of entries.entries()) {
        admitEntry({ ...entry, name: `${index}`, ...change }, names, budget);
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.detail['reason'];
    }
  }

  it('is stored or deflated, and packed to no more than it is, but for a little', () => {
    for (const method of [0, 8]) expect(refusal({ method })).to.equal(undefined);
    for (const method of [1, 9, 12, 14, 93, 95]) expect(refusal({ method }), `${method}`).to.equal('bad_archive');
    expect(refusal({ size: 1000, compressedSize: 2124 })).to.equal(undefined);
    expect(refusal({ size: 1000, compressedSize: 2125 })).to.equal('bad_archive');
  });

  it('has each name once', () => {
    expect(refusal({ name: 'a' }, { name: 'b' })).to.equal(undefined);
    expect(refusal({ name: 'a' }, { name: 'a' })).to.equal('bad_archive');
  });

  it('is bounded in entries, in bytes, and in what is packed far more tightly than documents are', () => {
    const many = Array.from({ length: ARCHIVE_LIMITS.entries }, () => ({}));
    expect(refusal(...many)).to.equal(undefined);
    expect(refusal(...many, {})).to.equal('zip_bomb');
    const large = { size: ARCHIVE_LIMITS.bytes, compressedSize: ARCHIVE_LIMITS.bytes / 100 };
    expect(refusal(large)).to.equal(undefined);
    expect(refusal(large, { size: 1, compressedSize: 1 })).to.equal('zip_bomb');
    const dense = { size: ARCHIVE_LIMITS.denseBytes, compressedSize: 1000 };
    expect(refusal(dense)).to.equal(undefined);
    expect(refusal(dense, { size: 201, compressedSize: 1 })).to.equal('zip_bomb');
    expect(refusal(dense, { size: 200, compressedSize: 1 })).to.equal(undefined);
  });
});
