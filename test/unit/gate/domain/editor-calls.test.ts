import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createEditorCalls } from '../../../../cmd/gate/domain/editor-calls.ts';

type EditorCalls = ReturnType<typeof createEditorCalls>;

/** Histories, and how often it is then said that the editor never called. */
const HISTORIES: [what: string, happens: (calls: EditorCalls) => void, said: number][] = [
  ['nothing is opened', () => undefined, 0],
  ['documents are opened, and the editor calls', (calls) => [calls.opened(), calls.opened(), calls.called()], 0],
  ['the editor called before', (calls) => [calls.called(), calls.opened()], 0],
  ['documents are opened, and the editor never calls', (calls) => [calls.opened(), calls.opened()], 1],
  ['the gate stops', (calls) => [calls.opened(), calls.stop()], 0],
];

describe('an editor that does not reach the WOPI host', () => {
  for (const [what, happens, said] of HISTORIES) {
    it(`is told of ${said === 1 ? 'once' : 'not'} when ${what}`, async () => {
      const lines: object[] = [];
      const warn = (facts: object) => void lines.push(facts);
      const calls = createEditorCalls({ wopiUrl: 'http://gate:8081', log: { warn }, callMs: 5 });
      happens(calls);
      await pause(20);
      calls.opened();
      await pause(20);
      calls.stop();
      // A document that is opened late comes in its turn.
      const expected = what === 'nothing is opened' ? 1 : said;
      expect(lines).to.deep.equal(Array.from({ length: expected }, () => ({ wopi_url: 'http://gate:8081' })));
    });
  }
});
