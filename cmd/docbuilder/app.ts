import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Express, Response } from 'express';
import { createAudit } from '../../src/common/audit.ts';
import { type Clock, systemClock } from '../../src/common/clock.ts';
import { drain, listen } from '../../src/common/http/server.ts';
import { watchLicense } from '../../src/common/license-file.ts';
import type { Logger } from '../../src/common/log.ts';
import { createOutbound, type Lookup } from '../../src/common/net/outbound.ts';
import { LONGEST_JOB_SECONDS } from '../../src/common/plan.ts';
import { repeat } from '../../src/common/repeat.ts';
import type { Config } from './config.ts';
import { createEngine } from './engine/engine.ts';
import type { Engine } from './engine/task.ts';
import { readWorkerCount } from './engine/worker-count.ts';
import { createExtractor } from './extract/extractor.ts';
import { createHttpApp } from './http/app.ts';
import { createAuthenticator } from './http/auth.ts';
import { jobCallbackBody } from './http/jobs.ts';
import { createLargeWork } from './http/large-work.ts';
import { createCallbackSender } from './jobs/callbacks.ts';
import type { JobRecord } from './jobs/job.ts';
import { JobRegistry } from './jobs/job-registry.ts';
import { JobService } from './jobs/jobs.ts';
import { type EffectivePlan, effectivePlan, getShare, maxFileBytes, sumOverGroup } from './jobs/limits.ts';
import { JobQueue } from './jobs/queue.ts';
import { createDownloader } from './source/downloader.ts';
import { createSourceThreads } from './source/source-threads.ts';
import { type Member, openFolder, type Storage, type StorageOptions } from './storage.ts';
import { createTemporaryFiles, type DataDir, openDataDir } from './store/data-dir.ts';
import { createTemplateFiller } from './template/filler.ts';

const USER_AGENT = 'SVC-DocBuilder/1.0';
const SWEEP_MS = 30_000;
const UPLOAD_IDLE_MS = 30_000;
/** The part of the heap for JSON; the text of what is parsed comes on top. */
const JSON_SHARE = 0.25;
/** The jobs have ended then; answers remain. */
const DRAIN_MS = 5_000;
/** Time to finish what has arrived, while other replicas accept new work: as long as a client waits for a result. */
const LEAVE_MS = 60_000;
const LEAVE_CHECK_MS = 50;

/** Parts that a test may replace. */
export interface Overrides {
  clock?: Clock;
  /** Name resolution of outbound requests. */
  lookup?: Lookup;
  uploadIdleMs?: number;
  callbackSchedule?: readonly number[];
  /** A shared one, which the service does not stop. */
  engine?: Engine;
}

export interface Docbuilder {
  address: AddressInfo;
  engine: Engine;
  /** Refuses new work, finishes what runs, then releases everything. */
  stop(): Promise<void>;
}

type Parts = Awaited<ReturnType<typeof createParts>>;

/** Wires DocBuilder's parts and starts it. */
export async function startDocbuilder(config: Config, log: Logger, overrides: Overrides = {}): Promise<Docbuilder> {
  const parts = await createParts(config, log, overrides);
  const { audit, engine, storage, workers, queue, jobs, registry, callbacks, threads } = parts;
  const underWay = new Set<Response>();
  let isLeaving = false;
  const app = createApp(parts, overrides, { underWay, isLeaving: () => isLeaving });

  const stopWatching = workers.watch(() => {
    engine.resize(workers.current());
    queue.dispatch();
  });
  const resume = (pending: readonly JobRecord[]): void => pending.forEach(callbacks.deliver);
  await storage.join({ load: () => readLoad(engine, queue), takeOver: resume });
  const takenOver = registry
    .load()
    .then(resume, (error) => log.error({ err: error }, 'jobs of an earlier run could not be taken over'));
  const stopSweeping = repeat(SWEEP_MS, () =>
    registry.sweep().catch((error) => log.error({ err: error }, 'expired jobs could not be removed')),
  );
  const server = await listen(app, config.listen);
  const address = server.address() as AddressInfo;
  storage.listensAt(address.port);
  log.info({ address: address.address, port: address.port, ...engine.status() }, 'ready');
  audit.record('service.started');

  return {
    address,
    engine,
    stop: async () => {
      isLeaving = true;
      const hasOthers = storage.group.others().some(({ leaving }) => !leaving);
      if (hasOthers) await leave(storage, queue, underWay);
      await Promise.all([jobs.stop(), takenOver]);
      stopSweeping();
      stopWatching();
      callbacks.stop();
      await drain(server, hasOthers ? LEAVE_MS : DRAIN_MS);
      await storage.close();
      parts.license.stop();
      await Promise.all(Object.values(threads).map((pool) => pool.stop()));
      if (!overrides.engine) await engine.stop();
      parts.dataDir.unlock();
      audit.record('service.stopped');
      await audit.close();
      log.info('stopped');
    },
  };
}

async function createParts(config: Config, log: Logger, overrides: Overrides) {
  const { clock = systemClock, lookup, callbackSchedule: schedule } = overrides;
  const { licenseFile: tokenPath, licenseKeysFile: keysPath, callbackSecret: secret, allow, deny, proxy } = config;
  const audit = createAudit('docbuilder', config.auditTarget, log);
  const license = await watchLicense({ tokenPath, keysPath, clock, log, audit });
  const workers = await readWorkerCount({ path: config.workersFile, fallback: config.workers, log });
  const dataDir = await openDataDir(config.dataDir, log);
  const allWorkers = () => sumOverGroup(workers.current(), storage.group, (other) => other.workers.total);
  const plan = (): EffectivePlan => effectivePlan(license.current(), allWorkers(), config.lowering);
  const retentionMs = () => plan().limits.result_ttl_minutes * 60_000;
  const rates = () => ({ minute: plan().limits.rate_per_minute, day: plan().limits.rate_per_day });
  const storage = await openStorage({ config, dataDir, clock, log, rates, retentionMs });
  const { ids, store, group } = storage;
  const outbound = createOutbound({ allow, deny, proxy, userAgent: USER_AGENT, lookup });
  const engine = overrides.engine ?? (await startEngine(config, workers.current(), dataDir, log));

  const queue = new JobQueue(() => {
    const inForce = plan();
    return { ...getShare(inForce, workers.current(), group), limit: inForce.limits.max_queued_jobs };
  });
  const registry = new JobRegistry({ store, ids, clock, retentionMs });
  const callbacks = createCallbackSender({ store, outbound, toBody: jobCallbackBody, secret, clock, log, schedule });
  const checkUrl = (url: string) => outbound.check(url);
  const jobs = new JobService({ queue, registry, store, callbacks, plan, checkUrl, clock, log, audit });
  const threads = {
    ...{ sources: createSourceThreads(), large: createLargeWork(plan) },
    ...{ extractor: createExtractor(), templates: createTemplateFiller() },
  };
  const parts = { config, log, audit, clock, license, plan, workers, dataDir, storage, outbound, engine };
  return { ...parts, queue, registry, callbacks, jobs, threads };
}

function startEngine(config: Config, workers: number, dataDir: DataDir, log: Logger): Promise<Engine> {
  return createEngine({
    workers,
    maxJobs: config.workerMaxJobs,
    maxAgeMinutes: config.workerMaxAgeMinutes,
    memoryMb: config.workerMemoryMb,
    jobTimeoutSeconds: config.lowering.jobTimeoutSeconds ?? LONGEST_JOB_SECONDS,
    workDir: dataDir.workers,
    sandbox: config.sandbox,
    officeDir: config.officeDir,
    log,
  });
}

/** Opens the configured storage: the data folder, or a shared one. */
async function openStorage(options: StorageOptions): Promise<Storage> {
  const { shared } = options.config;
  if (shared === undefined) return openFolder(options);
  // Its clients are large.
  const { openShared } = await import('./shared-storage.ts');
  return openShared(options, shared);
}

function readLoad(engine: Engine, queue: JobQueue): ReturnType<Member['load']> {
  const { workers } = engine.status();
  return { workers, ...queue.counts(), room: queue.places().room, free: queue.leastFree() };
}

/** Finishes running and waiting jobs, while other replicas accept new work. */
async function leave(storage: Storage, queue: JobQueue, underWay: Set<Response>): Promise<void> {
  const end = performance.now() + LEAVE_MS;
  await storage.announceLeave();
  const isBusy = (): boolean => underWay.size + queue.counts().queued + queue.counts().running > 0;
  while (isBusy() && performance.now() < end) await sleep(LEAVE_CHECK_MS);
}

function createApp(
  { config, threads, dataDir, storage, outbound, ...parts }: Parts,
  { uploadIdleMs: idleMs = UPLOAD_IDLE_MS }: Overrides,
  state: { underWay: Set<Response>; isLeaving: () => boolean },
): Express {
  const { engine, plan, clock } = parts;
  const { apiKeys: keys, jwtSecret, baseUrl, devMode } = config;
  const maxBytes = () => maxFileBytes(plan());
  const tools = {
    ...{ engine, clock, maxFileBytes: maxBytes, downloader: createDownloader(outbound) },
    ...{ threads: threads.sources, extractor: threads.extractor, templates: threads.templates },
    writeFlat: threads.large.writeFlat,
  };
  return createHttpApp({
    ...{ ...parts, ...storage, ...state, tools, baseUrl, devMode },
    authenticator: createAuthenticator({ keys, jwtSecret, clock }),
    temporaryFiles: () => createTemporaryFiles(dataDir.temporary),
    uploads: { maxBytes, idleMs },
    readBody: threads.large.readBody,
    jsonMemory: { maxBytes: getHeapStatistics().heap_size_limit * JSON_SHARE, held: 0 },
  });
}
