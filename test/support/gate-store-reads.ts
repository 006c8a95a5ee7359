import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Rows, RowsTransaction } from '../../cmd/gate/domain/ports.ts';
import { documentRecord } from './gate-records.ts';
import type { Place } from './gate-store.ts';

/** What every implementation of `Rows.read` promises. */
export function readsContract(make: () => Promise<Place<Rows>>): void {
  describe('a read', () => {
    let place: Place<Rows>;
    let rows: Rows;

    beforeEach(async () => {
      place = await make();
      rows = await place.open();
    });
    afterEach(async () => {
      await rows.close();
      await place.dispose();
    });

    const putVersion = (version: number) => (t: RowsTransaction) => t.putDocument(documentRecord({ version }));
    const version = () => rows.read((r) => r.document('doc_a')?.version);

    it('sees what was done before it, also where that has not ended yet, and nothing of what comes after', async () => {
      const first = rows.transact(putVersion(1));
      const between = version();
      const second = rows.transact(putVersion(2));
      expect(await Promise.all([first, between, second, version()])).to.deep.equal([undefined, 1, undefined, 2]);
      expect(await version()).to.equal(2);
    });

    it('never sees what a transaction has done by half, nor what was taken back', async () => {
      await rows.transact(putVersion(1));
      const seen: Promise<number | undefined>[] = [];
      const error = await rows
        .transact(async (t) => {
          putVersion(2)(t);
          seen.push(version());
          await setImmediate();
          seen.push(version());
          throw new Error('on purpose');
        })
        .catch((error) => error);
      expect(error).to.be.instanceOf(Error);
      expect(await Promise.all(seen)).to.deep.equal([1, 1]);
    });

    it('is over when it is over: what it keeps of the rows tells nothing later', async () => {
      await rows.transact(putVersion(1));
      const kept = await rows.read((r) => r);
      expect(() => kept.document('doc_a')).to.throw('over');
      await rows.transact(() => expect(() => kept.document('doc_a')).to.throw('over'));
      const late = await rows
        .read(async (r) => {
          await setImmediate();
          return r.document('doc_a');
        })
        .catch((error) => error);
      expect(late).to.be.instanceOf(Error);
    });

    it('that fails is refused with what it threw, and the next one runs', async () => {
      const failure = new Error('on purpose');
      const fail = (): never => {
        throw failure;
      };
      expect(await rows.read(fail).catch((error) => error)).to.equal(failure);
      expect(await version()).to.equal(undefined);
    });

    it('waits for those before it when the rows are closed, and is refused after that', async () => {
      const before = [rows.transact(putVersion(1)), version()];
      await Promise.all([...before, rows.close()]);
      expect(await before[1]).to.equal(1);
      expect(await version().catch((error) => error)).to.be.instanceOf(Error);
      rows = await place.open();
    });
  });
}
