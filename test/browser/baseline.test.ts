import { expect } from 'chai';
import { locateChanges } from '../../cmd/gate/browser/baseline.ts';

describe('SVC.Editor: changes on top of a version, when their page was lost', () => {
  const [before, after] = ['2026-09-21T00:00:00.000Z', '2026-09-21T00:01:00.000Z'];
  const cases: [string, ReturnType<typeof locateChanges>, [number, string | null, number, string | null]][] = [
    ['are stored in a newer version', 'stored', [3, before, 4, after]],
    ['are on their way while the editor has the same document', 'pending', [3, before, 3, before]],
    ['are lost once the editor has fetched the version anew', 'lost', [3, before, 3, after]],
    ['are nobody knows where when the gate was started anew', 'unknown', [3, before, 3, null]],
    ['are nobody knows where when the page had not been told', 'unknown', [3, null, 3, after]],
  ];
  for (const [name, place, [version, loadedAt, now, loaded_at]] of cases) {
    it(name, () => {
      expect(locateChanges({ version, loadedAt }, { version: now, loaded_at })).to.equal(place);
    });
  }
});
