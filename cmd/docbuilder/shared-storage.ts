import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../src/common/repeat.ts';
import type { Config } from './config.ts';
import { IdIssuer } from './jobs/ids.ts';
import type { Storage, StorageOptions } from './storage.ts';
import { openDatabase, sharedKey } from './store/shared/database.ts';
import { JobRows } from './store/shared/job-rows.ts';
import { SharedJobs } from './store/shared/jobs.ts';
import { createSharedRates } from './store/shared/rates.ts';
import { Replicas } from './store/shared/replicas.ts';
import { openResults } from './store/shared/results.ts';

const BEAT_MS = 1_000;

/** Opens PostgreSQL and the object store of several replicas. @throws {ConfigError}, {Error} for the operator */
export async function openShared(
  { config, dataDir, rates, retentionMs, clock, log }: StorageOptions,
  { databaseUrl, s3, podIp }: NonNullable<Config['shared']>,
): Promise<Storage> {
  const database = await openDatabase(databaseUrl);
  const { query } = database;
  const host = podIp ?? ownAddress(config.listen.host);
  const at = (port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
  const replicas = new Replicas(query, at(config.listen.port));
  const ids = new IdIssuer(await sharedKey(query, 'ids'));
  const rows = new JobRows(query, replicas.id);
  const results = await openResults(s3, log);
  const isConnected = () => replicas.isConnected();
  const parts = { rows, results, isConnected, ids, clock, retentionMs, log };
  const store = new SharedJobs(join(dataDir.temporary, 'results'), parts);
  let isLeaving = false;
  let stopBeating = async () => {};
  let stopFlushing = async () => {};

  return {
    ids,
    store,
    rates: createSharedRates(query, rates),
    group: replicas,
    passKey: await sharedKey(query, 'passing'),
    async join(member) {
      await replicas.join(() => ({ ...member.load(), leaving: isLeaving }));
      let { joined } = replicas;
      const beat = async (): Promise<void> => {
        await replicas.beat();
        member.takeOver(await store.takeOver());
        if (replicas.joined !== joined) await store.endLost();
        ({ joined } = replicas);
      };
      stopBeating = everySecond(beat, (err) => log.error({ err }, 'the database does not answer: new work is refused'));
      // Apart from the beat: uploads after an outage take long, and a replica without a beat counts as dead.
      const flush = (): Promise<void> => store.flush();
      stopFlushing = everySecond(flush, (err) => log.warn({ err }, 'what becomes of jobs will be written down later'));
    },
    listensAt(port) {
      replicas.address = at(port);
    },
    async announceLeave() {
      isLeaving = true;
      if (replicas.others().length === 0) return;
      // One beat of this replica, and one of each other.
      await sleep(2 * BEAT_MS + 500);
    },
    async close() {
      await stopFlushing();
      await store.flush().catch(() => {});
      await stopBeating();
      await replicas
        .leave()
        .catch((error) => log.warn({ err: error }, 'the others find out by themselves that it ends'));
      await database.close();
    },
  };
}

/** Repeats an action every second. @param onFailure is called for the first failure in a row @returns stops it */
function everySecond(action: () => Promise<void>, onFailure: (error: unknown) => void): () => Promise<void> {
  let isFailing = false;
  return repeat(BEAT_MS, async () => {
    try {
      await action();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  });
}

/** Returns the address for other machines; of a wildcard, the first that is not internal. */
function ownAddress(listenHost: string): string {
  if (!['0.0.0.0', '::'].includes(listenHost)) return listenHost;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, scopeid }) => !internal && !scopeid)?.address ?? '127.0.0.1';
}
