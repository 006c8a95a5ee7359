import { Readable } from 'node:stream';
import { expect } from 'chai';
import { type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { until } from '../../../support/service.ts';

const SESSIONS = 500;
const STEP = 10_000;

describe('five hundred sessions in an hour', () => {
  let bench: SavesBench;
  before(async () => {
    bench = await savesBench({ retainHours: 1 });
  });
  after(() => bench.stop());

  it('leave no row, no bytes, no timer and no listener behind', async function () {
    this.timeout(60_000);
    const passing = new Set(['Immediate', 'FSReqPromise']);
    const resources = () => process.getActiveResourcesInfo().filter((kind) => !passing.has(kind)).length;
    const listeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
    // The runner's own timer begins with the first wait.
    await bench.rows.transact(() => undefined);
    const before = { resources: resources(), listeners: listeners() };

    for (let n = 0; n < SESSIONS; n += 1) {
      const docId = `doc_${n}`;
      const made = { docId, key: docId, callbackUrl: 'https://portal.example.vn/cb' };
      const session = await bench.open(made, {}, docId.padEnd(43, 'T'));
      const facts = { timestamp: undefined, autosave: false, final: false, modifiedByUser: true, nonce: null };
      await bench.saves.save(session, Readable.from([Buffer.from(`saved in ${docId}`)]), facts);
    }
    const views = Array.from({ length: SESSIONS }, (_, n) => ({ docId: `doc_${n}`, userId: `ses_doc_${n}` }));
    for (let time = 0; time < 3_600_000; time += STEP) {
      bench.pass(STEP);
      // They leave one after the other in the second half.
      const left = Math.max(0, Math.floor(((time - 1_800_000) / 1_200_000) * SESSIONS));
      await bench.sample(...views.slice(left));
    }
    const state = () =>
      bench.rows.transact(async (tx) => ({
        open: (await tx.documents({ state: 'open' })).length,
        documents: (await tx.documents()).length,
        sessions: (await tx.endedSessions(Number.MAX_SAFE_INTEGER)).length,
        pending: await tx.pendingDeliveries(),
      }));
    await until('all callbacks are sent', async () => (await state()).pending === 0);
    expect(await state()).to.deep.include({ open: 0, documents: SESSIONS });

    bench.pass(2 * 3_600_000);
    await bench.cleaning.sweep();
    expect(await state()).to.deep.equal({ open: 0, documents: 0, sessions: 0, pending: 0 });
    bench.pass(3_600_000);
    await bench.removal.sweep();
    expect(await bench.stored()).to.deep.equal([]);
    await until('what was used is given back', () => resources() <= before.resources);
    expect(listeners()).to.equal(before.listeners);
  });
});
