import { expect } from 'chai';
import { fateOf } from '../../cmd/gate/browser/floor.ts';

describe('SVC.Editor: changes on top of a version, when their page was lost', () => {
  const [before, after] = ['2026-09-21T00:00:00.000Z', '2026-09-21T00:01:00.000Z'];
  const cases: [string, ReturnType<typeof fateOf>, [number, string | null, number, string | null]][] = [
    ['are stored in a newer version', 'stored', [3, before, 4, after]],
    ['are on their way while the editor has the same document', 'coming', [3, before, 3, before]],
    ['are lost once the editor has fetched the version anew', 'lost', [3, before, 3, after]],
    ['are nobody knows where when the gate was started anew', 'unknown', [3, before, 3, null]],
    ['are nobody knows where when the page had not been told', 'unknown', [3, null, 3, after]],
  ];
  for (const [name, fate, [version, loadedAt, now, loaded_at]] of cases) {
    it(name, () => {
      expect(fateOf({ version, loadedAt }, { version: now, loaded_at })).to.equal(fate);
    });
  }
});
