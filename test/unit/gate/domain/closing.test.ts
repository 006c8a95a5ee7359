import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { DeliveryRecord, DocumentRecord } from '../../../../cmd/gate/domain/model.ts';
import type { DocumentCallback } from '../../../../src/common/generated/wire.ts';
import { documentRecord, randomBlob, versionRecord } from '../../../support/gate-records.ts';
import {
  type BenchOptions,
  createSample,
  FACTS,
  type SavesBench,
  savesBench,
  serveWopi,
  TOKEN,
} from '../../../support/gate-saves.ts';
import { close } from '../../../support/listen.ts';
import { until } from '../../../support/service.ts';

/**
 * Histories of a document, by the rule that each shows: `view` and `none` are samples with and without a view of it,
 * 10 s after the step before; `look` is one without a view at once; `pass` lets seconds pass without a sample, `fail`
 * is a save that finds the disk broken, `saved 1` and `closed 1` are the callbacks so far. `enter` lets somebody in,
 * `mute` takes the portal's address away, `meet` begins with another document, whose session nobody sees.
 */
const HISTORIES: Record<string, string> = {
  'tells of a document that has been without a view for 30 s, once': `
    none; pass 29.999; look; open; pass 0.001; look; closed; told closed 0; none; none; told closed 0`,
  'begins anew when somebody comes back': 'none; none; none; view; none; none; none; open; none; closed',
  'begins anew after a restart, and when the editor could not be asked': `
    none; none; pass 600; open; look; open; none; none; open; none; closed`,
  'comes in time although the clock was set back': `
    none; none; pass -3600; open; none; open; none; open; none; open; none; closed`,
  'says nothing while there is no sample': 'none; pass 3600; open',
  'comes after a save, with its version': 'none; save; none; none; none; told saved 1, closed 1',
  'waits for a save that is under way': `
    begin; none; none; none; none; none; open; end; none; told saved 1, closed 1`,
  'waits for a save that failed for trouble of ours': `
    fail; none; fail; none; fail; none; fail; none; fail; none; open
    save; none; none; none; none; told saved 1, closed 1`,
  'is taken back by a late save and comes a second time': `
    none; none; none; none; save; open; none; none; none; none; told closed 0, saved 1, closed 1`,
  'is taken back when the editor lists a view of a closed document': 'none; none; none; none; view; open',
  'comes 30 s after somebody was let in, who left again before anybody saw them': `
    none; pass 25; enter; pass 5; look; open; pass 25; look; closed`,
  'waits 60 s for a session that nobody has seen yet': `
    meet; view; view; view; view; view; open doc_b; view; closed doc_b`,
  'waits no longer for a session that was made before the clock was set back': `
    meet; pass -3600; none; none; none; none; closed doc_b`,
  'says nothing to a portal that gave no address, and closes all the same': `
    mute; none; none; none; none; closed; unsaid`,
};

const CALLBACK_URL = 'https://portal.example.vn/cb';
const MANY = Array.from({ length: 400 }, (_, index) => ({ docId: `doc_${index}` }));

describe('closing', () => {
  let bench: SavesBench;
  let sent: DeliveryRecord[];
  let disk: { isFull: boolean };
  let isLeading: boolean;
  /** Called before each change. */
  let onChange: () => void;

  beforeEach(async () => {
    sent = [];
    disk = { isFull: false };
    isLeading = true;
    onChange = () => {};
    const wrap: BenchOptions['wrap'] = ({ blobs, rows }) => ({
      rows: {
        ...rows,
        transact(work) {
          onChange();
          return rows.transact(work);
        },
      },
      blobs: { ...blobs, put: (...args) => (disk.isFull ? Promise.reject(new Error('ENOSPC')) : blobs.put(...args)) },
    });
    const poster = { post: async (one: DeliveryRecord) => sent.push(one) && 200 };
    bench = await savesBench({ wrap, timings: { holdMs: 0 }, poster, leads: () => isLeading });
    await bench.open({ callbackUrl: CALLBACK_URL });
    // Its session was seen at once, and no longer keeps it open by itself.
    bench.pass(1000);
    await bench.sample({ docId: 'doc_a' });
  });
  afterEach(() => bench.stop());

  const getState = async (docId: string) => (await bench.rows.transact((tx) => tx.document(docId)))?.state;
  const change = (changes: Partial<DocumentRecord>) =>
    bench.rows.transact(async (tx) => {
      const document = await tx.document('doc_a');
      if (document) await tx.putDocument({ ...document, ...changes });
    });
  const expectTold = async (callbacks: string) => {
    await until(`${callbacks}, of ${sent.length}`, () => sent.length >= callbacks.split(', ').length || undefined);
    const bodies = sent.map(({ body }) => JSON.parse(body) as DocumentCallback);
    expect(bodies.map(({ status, version }) => `${status} ${version}`).join(', ')).to.equal(callbacks);
  };
  const step = async (...views: { docId: string }[]) => {
    bench.pass(10_000);
    await bench.sample(...views);
  };
  const save = async (content = Readable.from([Buffer.from(`save ${Math.random()}`)])) => {
    const session = await bench.rows.transact((tx) => tx.session('ses_doc_a'));
    return bench.save(session ?? expect.fail('no session'), content, { ...FACTS, final: true });
  };
  const fail = async () => {
    disk.isFull = true;
    await save().catch(() => undefined);
    disk.isFull = false;
  };

  async function play(history: string): Promise<void> {
    const content = new Readable({ read: () => undefined });
    let saving: Promise<unknown> | undefined;
    const acts: Record<string, (word: string) => unknown> = {
      view: () => step({ docId: 'doc_a' }),
      none: () => step(),
      look: () => bench.sample(),
      pass: (seconds) => bench.pass(Number(seconds) * 1000),
      save: () => save(),
      fail,
      begin: () => {
        saving = save(content);
      },
      end: () => {
        content.push('late');
        content.push(null);
        return saving;
      },
      told: expectTold,
      unsaid: async () => expect(await bench.rows.transact((tx) => tx.pendingDeliveries())).to.equal(0),
      enter: () => change({ lastViewAt: bench.now() }),
      mute: () => change({ callbackUrl: null }),
      meet: () => bench.open({ docId: 'doc_b', key: 'key-b' }, {}, 'B'.repeat(43)),
    };
    for (const one of history.trim().split(/\s*[;\n]\s*/)) {
      const [what = '', ...words] = one.split(' ');
      const act = acts[what];
      if (act) await act(words.join(' '));
      else expect(await getState(words[0] ?? 'doc_a'), history).to.equal(what);
    }
  }

  for (const [rule, history] of Object.entries(HISTORIES)) it(rule, () => play(history));

  const openMany = () =>
    bench.rows.transact(async (tx) => {
      for (const { docId } of MANY) {
        await tx.putDocument(documentRecord({ docId, key: docId, lastViewAt: bench.now(), callbackUrl: CALLBACK_URL }));
        await tx.putVersion(versionRecord({ docId, blob: randomBlob() }));
      }
    });
  const countOpen = async () => (await bench.rows.read((tx) => tx.openDocuments())).length;

  const MEANWHILE: Record<string, () => void> = {
    'another gate leads': () => {
      isLeading = false;
    },
    'everybody has come back': () => bench.closing.observe(createSample(bench.now(), [{ docId: 'doc_a' }, ...MANY])),
    'a sample is old': () => bench.pass(31_000),
  };
  for (const [what, happen] of Object.entries(MEANWHILE))
    it(`closes no more of many documents once ${what}`, async () => {
      await openMany();
      await play('none; none; none');
      let batches = 0;
      onChange = () => {
        batches += 1;
        if (batches === 2) happen();
      };
      await step();
      expect(await bench.rows.read((tx) => tx.deliveries())).to.have.lengthOf.within(1, 200);
    });

  it('tells of many documents step by step: others come in between', async () => {
    await openMany();
    await play('none; none; none');
    let [isOver, between] = [false, 0];
    const closing = step().then(() => {
      isOver = true;
    });
    for (; !isOver; between += 1) await setImmediate();
    await closing;
    expect(await countOpen()).to.equal(0);
    expect(between).to.be.above(5);
  });

  it('waits for a failed save of a closed document, too, and CheckFileInfo does not turn its session away', async () => {
    await play('none; none; none; none; closed');
    const session = await bench.rows.transact((tx) => tx.session('ses_doc_a'));
    await bench.rows.transact((tx) => tx.putSession({ ...(session ?? expect.fail()), closedAt: bench.now() }));
    const { url, server } = await serveWopi(bench);
    for (let n = 0; n < 12; n += 1) {
      await play('fail; none');
      expect((await fetch(`${url}/doc_a?access_token=${TOKEN}`)).status, `${n}`).to.equal(503);
    }
    await play('save; none; none; none; none; told closed 0, saved 1, closed 1');
    await close(server);
  });
});
