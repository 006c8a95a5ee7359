import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Express } from 'express';
import { type Audit, createAudit } from '../../src/common/audit.ts';
import { type Clock, systemClock } from '../../src/common/clock.ts';
import { JsonLoad } from '../../src/common/http/json-load.ts';
import { drain, listen } from '../../src/common/http/server.ts';
import { watchLicense } from '../../src/common/license-file.ts';
import type { Logger } from '../../src/common/log.ts';
import { createOutbound, type Lookup, type Outbound } from '../../src/common/net/outbound.ts';
import { LONGEST_JOB_SECONDS } from '../../src/common/plan.ts';
import { repeat } from '../../src/common/repeat.ts';
import type { Config } from './config.ts';
import { convertWork } from './convert/convert.ts';
import { createEngine } from './engine/engine.ts';
import type { Engine } from './engine/task.ts';
import { readWorkerCount } from './engine/worker-count.ts';
import { metaWork, textWork, thumbnailWork } from './extract/extract.ts';
import { createExtractor, type Extractor } from './extract/extractor.ts';
import { openFolder } from './folder-storage.ts';
import { createHttpApp } from './http/app.ts';
import { createAuthenticator } from './http/auth.ts';
import { jobCallbackBody } from './http/job-view.ts';
import { createLargeWork, type LargeWork } from './http/large-work.ts';
import { Figures } from './http/status.ts';
import { UnderWay } from './http/under-way.ts';
import { createCallbackSender } from './jobs/callbacks.ts';
import { getShare, sumOverGroup } from './jobs/group.ts';
import { JobRegistry } from './jobs/job-registry.ts';
import { JobService } from './jobs/jobs.ts';
import { type EffectivePlan, effectivePlan, maxFileBytes } from './jobs/limits.ts';
import { JobQueue } from './jobs/queue.ts';
import { buildWork } from './script/build.ts';
import { createDownloader } from './source/downloader.ts';
import { createSourceThreads, type SourceThreads } from './source/source-threads.ts';
import type { Member, Storage, StorageOptions } from './storage.ts';
import { type DataDir, openDataDir } from './store/data-dir.ts';
import { createTemporaryFiles } from './store/temporary-files.ts';
import { createTemplateFiller, type TemplateFiller } from './template/filler.ts';
import { renderWork } from './template/render.ts';

const USER_AGENT = 'SVC-DocBuilder/1.0';
const SWEEP_MS = 30_000;
const UPLOAD_IDLE_MS = 30_000;
/** The part of the heap that JSON may take: while it is parsed it is there as text as well, and other things are, too. */
const JSON_SHARE = 0.25;
/** Jobs have ended before; what is left is answers on their way. */
const DRAIN_MS = 5_000;
/** Time to finish what has arrived, while other replicas take what is new: as long as a client waits for a result. */
const LEAVE_MS = 60_000;
const LEAVE_CHECK_MS = 50;

/** Parts that a test may replace. */
export interface Overrides {
  clock?: Clock;
  /** Name resolution of outbound requests. */
  lookup?: Lookup;
  uploadIdleMs?: number;
  callbackSchedule?: readonly number[];
}

/** Work that is done beside the event loop. */
interface Threads {
  sources: SourceThreads;
  large: LargeWork;
  extractor: Extractor;
  templates: TemplateFiller;
}

export interface Docbuilder {
  /** The service listens here. */
  address: AddressInfo;
  engine: Engine;
  /** Refuses new work, finishes what runs, then releases everything. */
  stop(): Promise<void>;
}

type Plan = () => EffectivePlan;
type JobParts = ReturnType<typeof createJobParts>;

/** The base that most parts need. */
interface Base {
  config: Config;
  log: Logger;
  audit: Audit;
  clock: Clock;
  plan: Plan;
  dataDir: DataDir;
  storage: Storage;
  workers: { current(): number };
  outbound: Outbound;
  engine: Engine;
}

/** Puts DocBuilder together and starts it: the one place that knows which concrete part plays which role. */
export async function startDocbuilder(config: Config, log: Logger, overrides: Overrides = {}): Promise<Docbuilder> {
  const clock = overrides.clock ?? systemClock;
  const audit = createAudit('docbuilder', config.auditTarget, log);
  const { licenseFile: tokenPath, licenseKeysFile: keysPath } = config;
  const license = await watchLicense({ tokenPath, keysPath, clock, log, audit });
  const workers = await readWorkerCount({ path: config.workersFile, fallback: config.workers, log });
  const dataDir = await openDataDir(config.dataDir);
  const allWorkers = () => sumOverGroup(workers.current(), storage.group, (other) => other.workers.total);
  const plan = () => effectivePlan(license.current(), allWorkers(), config.lowering);
  const storage = await openStorage({ config, dataDir, clock, log, ...storageLimits(plan) });
  const { allow, deny, proxy } = config;
  const outbound = createOutbound({ allow, deny, proxy, userAgent: USER_AGENT, lookup: overrides.lookup });
  const engine = await startEngine(config, workers.current(), dataDir, log);

  const base = { config, log, audit, clock, plan, dataDir, storage, outbound, engine, workers };
  const parts = createJobParts(base, overrides.callbackSchedule);
  const threads = {
    ...{ sources: createSourceThreads(), large: createLargeWork(plan) },
    ...{ extractor: createExtractor(), templates: createTemplateFiller() },
  };
  const underWay = new UnderWay();
  let isLeaving = false;
  const state = { underWay, isLeaving: () => isLeaving, idleMs: overrides.uploadIdleMs ?? UPLOAD_IDLE_MS };
  const app = createApp(base, parts, threads, state);

  const stopWatching = workers.watch(() => {
    engine.resize(workers.current());
    parts.queue.dispatch();
  });
  const load = () => readLoad(engine, parts.queue);
  await storage.join({ load, takeOver: (jobs) => parts.jobs.resume(jobs) });
  const { takenOver, stopSweeping } = takeOver(parts, log);
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
      if (hasOthers) await leave(storage, parts.queue, underWay);
      await Promise.all([parts.jobs.stop(), takenOver]);
      stopSweeping();
      stopWatching();
      parts.callbacks.stop();
      await drain(server, hasOthers ? LEAVE_MS : DRAIN_MS);
      await storage.close();
      license.stop();
      await Promise.all(Object.values(threads).map((pool) => pool.stop()));
      await engine.stop();
      audit.record('service.stopped');
      await audit.close();
      log.info('stopped');
    },
  };
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

/** Opens the storage that is configured: the data folder, or what replicas share. */
async function openStorage(options: StorageOptions): Promise<Storage> {
  const { shared } = options.config;
  if (shared === undefined) return openFolder(options);
  // Its clients are large, and loaded only where they are needed.
  const { openShared } = await import('./shared-storage.ts');
  return openShared(options, shared);
}

function storageLimits(plan: Plan): Pick<StorageOptions, 'rates' | 'retentionMs'> {
  return {
    rates: () => ({ minute: plan().limits.rate_per_minute, day: plan().limits.rate_per_day }),
    retentionMs: () => plan().limits.result_ttl_minutes * 60_000,
  };
}

function readLoad(engine: Engine, queue: JobQueue): ReturnType<Member['load']> {
  const { workers } = engine.status();
  return { workers, ...queue.counts(), room: queue.places().room, free: queue.leastFree() };
}

/** Lets what has arrived end, also what waits for its turn, while other replicas take what is new. */
async function leave(storage: Storage, queue: JobQueue, underWay: UnderWay): Promise<void> {
  const end = performance.now() + LEAVE_MS;
  await storage.announceLeave();
  const isBusy = (): boolean => underWay.count() + queue.counts().queued + queue.counts().running > 0;
  while (isBusy() && performance.now() < end) await sleep(LEAVE_CHECK_MS);
}

function createJobParts(
  { config, log, audit, clock, plan, storage, outbound, workers }: Base,
  schedule?: readonly number[],
) {
  const { ids, store, group } = storage;
  const queue = new JobQueue(() => {
    const inForce = plan();
    return { ...getShare(inForce, workers.current(), group), limit: inForce.limits.max_queued_jobs };
  });
  const { retentionMs } = storageLimits(plan);
  const registry = new JobRegistry({ store, ids, clock, retentionMs });
  const secret = config.callbackSecret;
  const callbacks = createCallbackSender({ store, outbound, toBody: jobCallbackBody, secret, clock, log, schedule });
  const checkUrl = (url: string) => outbound.check(url);
  const jobs = new JobService({ queue, registry, store, callbacks, plan, checkUrl, clock, log, audit });
  return { queue, registry, callbacks, jobs };
}

/** Takes over the jobs of an earlier run, and removes expired ones from now on. */
function takeOver({ jobs, registry }: JobParts, log: Logger) {
  const takenOver = registry.load().then(
    (pending) => jobs.resume(pending),
    (error) => log.error({ err: error }, 'jobs of an earlier run could not be taken over'),
  );
  const stopSweeping = repeat(SWEEP_MS, () =>
    registry.sweep().catch((error) => log.error({ err: error }, 'expired jobs could not be removed')),
  );
  return { takenOver, stopSweeping };
}

interface HttpState {
  underWay: UnderWay;
  isLeaving: () => boolean;
  idleMs: number;
}

function createApp(base: Base, parts: JobParts, threads: Threads, { idleMs, ...state }: HttpState): Express {
  const { config, log, audit, clock, plan, dataDir, storage, outbound, engine } = base;
  const { apiKeys: keys, jwtSecret, baseUrl, devMode } = config;
  const { queue, registry, jobs } = parts;
  const { rates, group, store, passKey } = storage;
  const sources = {
    engine,
    downloader: createDownloader(outbound),
    threads: threads.sources,
    maxFileBytes: () => maxFileBytes(plan()),
  };
  const extraction = { ...sources, extractor: threads.extractor };
  const rendering = { ...sources, templates: threads.templates };
  const building = { ...sources, clock, writeFlat: threads.large.writeFlat };
  return createHttpApp({
    ...{ log, audit, plan, registry, queue, jobs, rates, baseUrl, group, store, passKey, ...state },
    authenticator: createAuthenticator({ keys, jwtSecret, clock }),
    figures: new Figures({ engine, queue, group, rates, plan, clock, devMode }),
    temporaryFiles: () => createTemporaryFiles(dataDir.temporary),
    uploads: { maxBytes: sources.maxFileBytes, idleMs },
    readBody: threads.large.readBody,
    jsonLoad: new JsonLoad(getHeapStatistics().heap_size_limit * JSON_SHARE),
    convert: (request) => convertWork(request, sources),
    build: (task) => buildWork(task, building),
    render: (request) => renderWork(request, rendering),
    text: (request, format) => textWork(request, format, extraction),
    meta: (request) => metaWork(request, extraction),
    thumbnail: (request, options) => thumbnailWork(request, options, sources),
  });
}
