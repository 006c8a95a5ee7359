import { spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { Blobs, Rows, StoredBlob } from '../../cmd/gate/domain/ports.ts';
import { openDataDir } from '../../cmd/gate/store/data-dir.ts';

const SAVER = resolve(import.meta.dirname, './gate-saver.ts');
const ROUNDS = Number(process.env['SVC_TEST_KILLS'] ?? 30);
/** Rounds with one folder: each begins with what the kill of the one before left. */
const ROUNDS_A_FOLDER = 10;

/** `SVC_TEST_KILLS=300` for more rounds. */
describe(`a kill -9 while documents are saved, ${ROUNDS} times`, function () {
  this.timeout(ROUNDS * 5_000);

  it('loses no acknowledged save, leaves no half file, no version without its callback and no gap', async () => {
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round += ROUNDS_A_FOLDER) {
      const folder = await mkdtemp(join(tmpdir(), 'svc-kill-'));
      try {
        const saves = new Map<number, string>();
        for (let kill = 0; kill < Math.min(ROUNDS_A_FOLDER, ROUNDS - round); kill += 1) {
          for (const [version, sha256] of await savesUntilKilled(folder)) saves.set(version, sha256);
          await check(folder, saves);
        }
        acknowledged += saves.size;
      } finally {
        await rm(folder, { recursive: true });
      }
    }
    expect(acknowledged, 'saves that were acknowledged').to.be.greaterThan(ROUNDS);
  });
});

/** Returns the saves that a process acknowledged until it was killed at a random moment, mostly in the middle of one. */
async function savesUntilKilled(folder: string): Promise<[version: number, sha256: string][]> {
  const saver = spawn(process.execPath, [SAVER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  saver.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const closed = once(saver, 'close');
  await Promise.race([once(saver.stdout, 'data'), closed]);
  expect(saver.exitCode, 'the saver runs until it is killed').to.equal(null);
  await setTimeout(randomInt(40));
  saver.kill('SIGKILL');
  await closed;
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
    .map(([version, sha256]) => [Number(version), String(sha256)]);
}

async function check(folder: string, acknowledged: ReadonlyMap<number, string>): Promise<void> {
  const { rows, blobs } = await openDataDir(folder);
  try {
    const [document, versions, pending] = await rows.transact(
      async (t) => [await t.document('doc_a'), await t.versions('doc_a'), await t.pendingDeliveries()] as const,
    );
    const stored = new Map(versions.map(({ version, sha256 }) => [version, sha256]));
    for (const [version, sha256] of acknowledged) expect(stored.get(version)).to.equal(sha256);
    expect(versions.map(({ version }) => version)).to.deep.equal(versions.map((_, index) => index + 1));
    expect(document?.version).to.equal(versions.length);
    expect(await deliveredVersions(rows, pending)).to.deep.equal(versions.map(({ version }) => version));
    const kept = new Set(await blobs.list?.());
    for (const { blob, sha256 } of versions) {
      expect(kept.has(blob)).to.equal(true);
      expect(await computeHash(blobs, { blob, sha256 })).to.equal(sha256);
    }
    expect(await readdir(join(folder, 'incoming'))).to.deep.equal([]);
  } finally {
    await rows.close();
    // This process lives on, and owns it no more.
    await rm(join(folder, 'owner.json'));
  }
}

/** Versions of the pending callbacks, in their order; they are as before afterwards. */
async function deliveredVersions(rows: Rows, pending: number): Promise<number[]> {
  const undo = new Error('undo');
  const found: number[] = [];
  const walk = rows.transact(async (t) => {
    for (let count = 0; count < pending; count += 1) {
      for (const due of await t.dueDeliveries()) {
        found.push(due.version);
        await t.putDelivery({ ...due, state: 'delivered', endedAt: 1 });
      }
    }
    throw undo;
  });
  await walk.catch((error) => {
    if (error !== undo) throw error;
  });
  return found;
}

async function computeHash(blobs: Blobs, stored: StoredBlob): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of blobs.read(stored)) hash.update(chunk);
  return hash.digest('hex');
}
