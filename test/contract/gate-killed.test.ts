import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { GATE_FLAGS, NODE_ENVIRONMENT } from '../../src/common/node-flags.ts';
import { callbackReceiver, unreliable } from '../support/gate-receiver.ts';
import { putHeaders, savesBench } from '../support/gate-saves.ts';
import { getStore } from '../support/test-store.ts';
import { until } from '../support/until.ts';

const CHILD = resolve(import.meta.dirname, './gate-put-process.ts');
const KILLS = Number(process.env['SVC_TEST_KILLS'] ?? 15);
const DOCUMENTS = ['doc_0', 'doc_1', 'doc_2', 'doc_3'];

/** A save that the gate acknowledged to the editor. */
interface Acknowledged {
  docId: string;
  version: number;
  sha256: string;
}

describe('the gate, killed in the middle of saves', () => {
  let receiver: Awaited<ReturnType<typeof callbackReceiver>>;

  beforeEach(async () => {
    receiver = await callbackReceiver(unreliable);
  });
  afterEach(() => receiver.stop());

  it(`loses no acknowledged save and no callback, and serves no half file, in ${KILLS} kills`, async function () {
    this.timeout(60_000 + KILLS * 5_000);
    const first = await savesBench({ clock: Date.now });
    const { folder } = first;
    for (const docId of DOCUMENTS)
      await first.open({ docId, key: docId, callbackUrl: receiver.url }, {}, toToken(docId));
    await first.stop({ keep: true });

    const saved: Acknowledged[] = [];
    let cut = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, url } = await start(folder);
      const stopping = new AbortController();
      const saving = DOCUMENTS.map((docId) => keepSaving(url, docId, saved, stopping.signal));
      const before = saved.length;
      // A cold process takes its time over the first one.
      await until('one is saved', () => saved.length > before, 30_000);
      await sleep(randomInt(100));
      child.kill('SIGKILL');
      await once(child, 'close');
      stopping.abort();
      cut += (await Promise.all(saving)).filter((broken) => broken).length;
    }
    expect(cut).to.be.greaterThan(0);
    expect(saved.length).to.be.at.least(KILLS);

    const { child } = await start(folder);
    await settle(receiver);
    child.kill('SIGKILL');
    await once(child, 'close');
    // A store that does not list its bytes removes those without a version after a quarter of an hour.
    const bench = await savesBench({ folder, clock: () => Date.now() + 3_600_000 });

    try {
      const state = await bench.rows.transact(async (tx) => {
        const versions = [];
        for (const docId of DOCUMENTS) versions.push(...(await tx.versions(docId)));
        return {
          versions,
          current: new Map((await tx.documents()).map(({ docId, version }) => [docId, version])),
          pending: await tx.pendingDeliveries(),
          givenUp: await tx.givenUp(100_000),
        };
      });
      const kept = new Map(state.versions.map((version) => [`${version.docId} ${version.version}`, version]));
      for (const { docId, version, sha256 } of saved) {
        const current = state.current.get(docId) ?? 0;
        expect(version, docId).to.be.at.most(current);
        if (version > current - 5) expect(kept.get(`${docId} ${version}`)?.sha256, docId).to.equal(sha256);
      }
      for (const { blob, sha256, size } of state.versions) {
        const hash = createHash('sha256');
        let length = 0;
        for await (const chunk of bench.blobs.read({ blob, sha256 }) as AsyncIterable<Buffer>) {
          hash.update(chunk);
          length += chunk.length;
        }
        expect([hash.digest('hex'), length]).to.deep.equal([sha256, size]);
      }
      await bench.cleaning.sweepOrphans();
      await bench.cleaning.sweepBytes();
      expect(new Set(await bench.stored())).to.deep.equal(new Set(state.versions.map(({ blob }) => blob)));
      expect(await readdir(join(folder, 'incoming'))).to.deep.equal([]);

      const taken = new Set(receiver.arrived.filter(({ answer }) => answer === 204).map(getName));
      const listed = new Set(state.givenUp.map(({ docId, version }) => `${docId} ${version}`));
      expect(state.pending).to.equal(0);
      for (const [docId, current] of state.current) {
        for (let version = 1; version <= current; version += 1) {
          const name = `${docId} ${version}`;
          expect(taken.has(name) || listed.has(name), name).to.equal(true);
        }
        const order = receiver.arrived.filter(({ body }) => body.key === docId).map(({ body }) => body.version);
        expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
      }
    } finally {
      await bench.stop({ keep: true });
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function start(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [...GATE_FLAGS, CHILD, folder], {
    env: { ...NODE_ENVIRONMENT, PATH: process.env['PATH'], ...(await getStore(folder))?.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').then(() => {
    throw new Error('the gate did not start');
  });
  ended.catch(() => {});
  const [line] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), ended])) as [string];
  return { child, url: line.trim() };
}

/** Saves again and again until the gate is gone. @returns whether the last one was cut off */
async function keepSaving(url: string, docId: string, saved: Acknowledged[], signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const body = randomBytes(randomInt(1, 500_000));
    try {
      const headers = putHeaders({}, toToken(docId));
      const response = await fetch(`${url}/${docId}/contents`, { method: 'POST', headers, body, signal });
      const version = Number(response.headers.get('x-wopi-itemversion'));
      await response.json();
      if (response.status !== 200) throw new Error(`answered ${response.status}`);
      saved.push({ docId, version, sha256: createHash('sha256').update(body).digest('hex') });
    } catch {
      return true;
    }
  }
}

/** Resolves when nothing has arrived for a while: longer than any wait between attempts. */
async function settle({ arrived }: { arrived: unknown[] }): Promise<void> {
  for (let before = -1; before !== arrived.length; await sleep(1500)) before = arrived.length;
}

function toToken(docId: string): string {
  return docId.padEnd(43, 'T');
}

function getName({ body }: { body: { key: string; version: number } }): string {
  return `${body.key} ${body.version}`;
}
