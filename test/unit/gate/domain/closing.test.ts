import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { DeliveryRecord } from '../../../../cmd/gate/domain/model.ts';
import type { DocumentCallback } from '../../../../src/common/generated/wire.ts';
import { validator } from '../../../../src/common/schema.ts';
import { type BenchOptions, type SavesBench, savesBench, serveWopi, TOKEN } from '../../../support/gate-saves.ts';
import { close } from '../../../support/listen.ts';
import { until } from '../../../support/service.ts';

const SECOND = 1000;

describe('closing', () => {
  let bench: SavesBench;
  let sent: DeliveryRecord[];

  beforeEach(async () => {
    sent = [];
    bench = await savesBench({
      poster: {
        post: async (delivery) => {
          sent.push(delivery);
          return 200;
        },
      },
    });
    await bench.open({ callbackUrl: 'https://portal.example.vn/cb' });
    // Its session was seen at once, and no longer keeps it open by itself.
    bench.pass(SECOND);
    await bench.sample({ docId: 'doc_a' });
  });
  afterEach(() => bench.stop());

  const state = async () => (await bench.rows.transact((tx) => tx.document('doc_a')))?.state;
  const bodies = async (count: number) => {
    await until(`${count} callbacks`, () => sent.length >= count || undefined);
    return sent.map(({ body }) => JSON.parse(body) as DocumentCallback);
  };
  const step = async (...views: { docId: string }[]) => {
    bench.pass(10 * SECOND);
    await bench.sample(...views);
  };
  const save = (final: boolean) =>
    bench.rows
      .transact((tx) => tx.session('ses_doc_a'))
      .then((session) => {
        if (!session) throw new Error('no session');
        const facts = { timestamp: undefined, autosave: false, final, modifiedByUser: true, nonce: null };
        return bench.saves.save(session, Readable.from([Buffer.from(`save ${Math.random()}`)]), facts);
      });

  it('tells of a document that has been without a view for 30 s', async () => {
    await step();
    bench.pass(29_999);
    await bench.sample();
    expect(await state()).to.equal('open');
    bench.pass(1);
    await bench.sample();
    expect(await state()).to.equal('closed');
    const [body] = await bodies(1);
    expect(validator('document-callback.json')(body).ok).to.equal(true);
    expect(body).to.deep.include({ status: 'closed', key: 'key-a', version: 0, url: null, users: [], savedBy: null });
    expect(body).to.include({ autosave: false, final: false, modifiedByUser: false });
    await step();
    await step();
    expect(sent).to.have.lengthOf(1);
  });

  it('begins anew when somebody comes back', async () => {
    for (const views of [[], [], [], [{ docId: 'doc_a' }], [], [], []]) await step(...views);
    expect(await state()).to.equal('open');
    await step();
    expect(await state()).to.equal('closed');
  });

  it('begins anew after a restart, and when the editor could not be asked', async () => {
    await step();
    await step();
    bench.pass(600 * SECOND);
    expect(await state()).to.equal('open');
    await bench.sample();
    expect(await state()).to.equal('open');
    await step();
    await step();
    expect(await state()).to.equal('open');
    await step();
    expect(await state()).to.equal('closed');
  });

  it('comes in time although the clock was set back', async () => {
    await step();
    await step();
    bench.pass(-3600 * SECOND);
    for (let n = 0; n < 4; n += 1) {
      expect(await state()).to.equal('open');
      await step();
    }
    expect(await state()).to.equal('closed');
  });

  it('waits no longer for a session that was made before the clock was set back', async () => {
    await bench.open({ docId: 'doc_b', key: 'key-b' }, {}, 'B'.repeat(43));
    bench.pass(-3600 * SECOND);
    for (let n = 0; n < 4; n += 1) await step();
    expect((await bench.rows.transact((tx) => tx.document('doc_b')))?.state).to.equal('closed');
  });

  it('says nothing while there is no sample', async () => {
    await step();
    bench.pass(3600 * SECOND);
    expect(await state()).to.equal('open');
  });

  it('waits 60 s for a session that nobody has seen yet', async () => {
    await bench.open({ docId: 'doc_b', key: 'key-b' }, {}, 'B'.repeat(43));
    for (let n = 0; n < 5; n += 1) await step({ docId: 'doc_a' });
    const open = async () => (await bench.rows.transact((tx) => tx.document('doc_b')))?.state;
    expect(await open()).to.equal('open');
    await step({ docId: 'doc_a' });
    expect(await open()).to.equal('closed');
  });

  it('comes after a save, with its version', async () => {
    await step();
    await save(true);
    await step();
    await step();
    await step();
    const told = await bodies(2);
    expect(told.map(({ status, version, final }) => [status, version, final])).to.deep.equal([
      ['saved', 1, true],
      ['closed', 1, false],
    ]);
    expect(told[1]?.url).to.equal('https://office.example.vn/doc_a/1');
  });

  it('waits for a save that is under way', async () => {
    const content = new Readable({ read: () => undefined });
    const session = await bench.rows.transact((tx) => tx.session('ses_doc_a'));
    if (!session) throw new Error('no session');
    const facts = { timestamp: undefined, autosave: false, final: true, modifiedByUser: true, nonce: null };
    const saving = bench.saves.save(session, content, facts);
    for (let n = 0; n < 5; n += 1) await step();
    expect(await state()).to.equal('open');
    content.push('late');
    content.push(null);
    await saving;
    await step();
    expect((await bodies(2)).map(({ status }) => status)).to.deep.equal(['saved', 'closed']);
  });

  for (const [state, document] of [
    ['an open', {}],
    ['a closed', { state: 'closed', closedAt: 1 }],
  ] as const) {
    it(`waits for a save of ${state} document that failed for trouble of ours, and CheckFileInfo does not turn it away`, async () => {
      await bench.stop();
      let full = true;
      const wrap: BenchOptions['wrap'] = ({ blobs }) => ({
        blobs: { ...blobs, put: (...args) => (full ? Promise.reject(new Error('ENOSPC')) : blobs.put(...args)) },
      });
      bench = await savesBench({
        wrap,
        timings: { holdMs: 0 },
        poster: { post: async (one) => sent.push(one) && 200 },
      });
      await bench.open({ callbackUrl: 'https://portal.example.vn/cb', ...document }, { closedAt: bench.now() });
      const { url, server } = await serveWopi(bench);
      for (let n = 0; n < 12; n += 1) {
        await save(true).catch(() => undefined);
        await step();
        const { status } = await fetch(`${url}/doc_a?access_token=${TOKEN}`);
        expect(status, `${n}`).to.equal(503);
      }
      full = false;
      await save(true);
      for (let n = 0; n < 4; n += 1) await step();
      expect((await bodies(2)).map(({ status, version }) => `${status} ${version}`)).to.deep.equal([
        'saved 1',
        'closed 1',
      ]);
      await close(server);
    });
  }

  it('is taken back by a late save and comes a second time', async () => {
    for (let n = 0; n < 4; n += 1) await step();
    await save(true);
    expect(await state()).to.equal('open');
    for (let n = 0; n < 4; n += 1) await step();
    expect((await bodies(3)).map(({ status, version }) => `${status} ${version}`)).to.deep.equal([
      'closed 0',
      'saved 1',
      'closed 1',
    ]);
  });

  it('is taken back when the editor lists a view of a closed document', async () => {
    for (let n = 0; n < 4; n += 1) await step();
    await step({ docId: 'doc_a' });
    expect(await state()).to.equal('open');
  });

  it('comes 30 s after somebody was let in, who left again before anybody saw them', async () => {
    await bench.stop();
    bench = await savesBench();
    await bench.open({ lastViewAt: 0 }, { closedAt: bench.now() });
    await bench.sample();
    bench.pass(25_000);
    await bench.rows.transact(async (tx) => {
      const document = await tx.document('doc_a');
      if (document) await tx.putDocument({ ...document, lastViewAt: bench.now() });
    });
    bench.pass(5_000);
    await bench.sample();
    expect(await state()).to.equal('open');
    bench.pass(25_000);
    await bench.sample();
    expect(await state()).to.equal('closed');
  });

  it('says nothing to a portal that gave no address, and closes all the same', async () => {
    await bench.rows.transact(async (tx) => {
      const document = await tx.document('doc_a');
      if (document) await tx.putDocument({ ...document, callbackUrl: null });
    });
    for (let n = 0; n < 4; n += 1) await step();
    expect(await state()).to.equal('closed');
    expect(await bench.rows.transact((tx) => tx.pendingDeliveries())).to.equal(0);
  });
});
