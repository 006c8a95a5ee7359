import type { AddressInfo } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { createAudit } from '../../src/common/audit.ts';
import { type Clock, systemClock } from '../../src/common/clock.ts';
import { JsonLoad } from '../../src/common/http/json-load.ts';
import { drain, listen } from '../../src/common/http/server.ts';
import { IdIssuer } from '../../src/common/ids.ts';
import { watchLicense } from '../../src/common/license-file.ts';
import type { Logger } from '../../src/common/log.ts';
import { createOutbound, type Lookup } from '../../src/common/net/outbound.ts';
import { LONGEST_JOB_SECONDS } from '../../src/common/plan.ts';
import { repeat } from '../../src/common/repeat.ts';
import type { Config } from './config.ts';
import { convertWork } from './convert/convert.ts';
import { createEngine } from './engine/engine.ts';
import type { Engine } from './engine/task.ts';
import { readWorkerCount } from './engine/worker-count.ts';
import { metaWork, textWork } from './extract/extract.ts';
import { createExtractor } from './extract/extractor.ts';
import { thumbnailWork } from './extract/thumbnail.ts';
import { createHttpApp } from './http/app.ts';
import { createAuthenticator } from './http/auth.ts';
import { jobCallbackBody } from './http/job-view.ts';
import { createLargeWork } from './http/large-work.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { Figures } from './http/status.ts';
import { createCallbackSender } from './jobs/callbacks.ts';
import { JobRegistry } from './jobs/job-registry.ts';
import { JobService } from './jobs/jobs.ts';
import { effectivePlan, maxFileBytes } from './jobs/limits.ts';
import { JobQueue } from './jobs/queue.ts';
import { buildWork } from './script/build.ts';
import { createDownloader } from './source/downloader.ts';
import { createSourceThreads } from './source/source-threads.ts';
import { openDataDir } from './store/data-dir.ts';
import { createJobStore } from './store/job-store.ts';
import { createTemporaryFiles } from './store/temporary-files.ts';
import { createTemplateFiller } from './template/filler.ts';
import { renderWork } from './template/render.ts';

const USER_AGENT = 'SVC-DocBuilder/1.0';
const SWEEP_MS = 30_000;
const UPLOAD_IDLE_MS = 30_000;
/** Of the heap: JSON is there as text as well while it is parsed, and other things are, too. */
const JSON_SHARE = 0.25;
/** Jobs have ended before; what is left is answers on their way. */
const DRAIN_MS = 5_000;

/** What a test may put in the place of the real thing. */
export interface Overrides {
  clock?: Clock;
  /** Name resolution of outbound requests. */
  lookup?: Lookup;
  uploadIdleMs?: number;
  callbackSchedule?: readonly number[];
}

export interface Docbuilder {
  /** Where the service listens. */
  address: AddressInfo;
  engine: Engine;
  /** Refuses new work, finishes what runs, then releases everything. */
  stop(): Promise<void>;
}

/** Puts DocBuilder together and starts it: the one place that knows which concrete part plays which role. */
export async function startDocbuilder(config: Config, log: Logger, overrides: Overrides = {}): Promise<Docbuilder> {
  const clock = overrides.clock ?? systemClock;
  const audit = createAudit('docbuilder', config.auditTarget, log);
  const license = await watchLicense({
    tokenPath: config.licenseFile,
    keysPath: config.licenseKeysFile,
    ...{ clock, log, audit },
  });
  const workers = await readWorkerCount({ path: config.workersFile, fallback: config.workers, log });
  const plan = () => effectivePlan(license.current(), workers.current(), config.lowering);

  const dataDir = await openDataDir(config.dataDir);
  const store = createJobStore(dataDir.jobs, log);
  const outbound = createOutbound({
    allow: config.allow,
    deny: config.deny,
    userAgent: USER_AGENT,
    lookup: overrides.lookup,
    proxy: config.proxy,
  });

  const engine = await createEngine({
    workers: workers.current(),
    maxJobs: config.workerMaxJobs,
    maxAgeMinutes: config.workerMaxAgeMinutes,
    memoryMb: config.workerMemoryMb,
    jobTimeoutSeconds: config.lowering.jobTimeoutSeconds ?? LONGEST_JOB_SECONDS,
    workDir: dataDir.workers,
    sandbox: config.sandbox,
    officeDir: config.officeDir,
    log,
  });

  const queue = new JobQueue(() => {
    const { parallel_jobs, max_queued_jobs } = plan().limits;
    return { parallel: parallel_jobs, capacity: max_queued_jobs };
  });
  const rates = new RateLimiter(() => {
    const { rate_per_minute, rate_per_day } = plan().limits;
    return { minute: rate_per_minute, day: rate_per_day };
  }, clock);
  const registry = new JobRegistry({
    store,
    ids: new IdIssuer(dataDir.idKey),
    clock,
    retentionMs: () => plan().limits.result_ttl_minutes * 60_000,
  });
  const callbacks = createCallbackSender({
    outbound,
    bodyOf: jobCallbackBody,
    secret: config.callbackSecret,
    clock,
    log,
    schedule: overrides.callbackSchedule,
  });
  const checkUrl = (url: string) => outbound.check(url);
  const jobs = new JobService({ queue, registry, store, callbacks, plan, checkUrl, clock, log, audit });
  const threads = createSourceThreads();
  const sources = {
    engine,
    downloader: createDownloader(outbound),
    threads,
    maxFileBytes: () => maxFileBytes(plan()),
  };
  const extraction = { ...sources, extractor: createExtractor() };
  const rendering = { ...sources, templates: createTemplateFiller() };
  const large = createLargeWork(plan);
  const building = { ...sources, clock, writeFlat: large.writeFlat };

  const app = createHttpApp({
    log,
    audit,
    authenticator: createAuthenticator({ keys: config.apiKeys, jwtSecret: config.jwtSecret, clock }),
    rates,
    figures: new Figures({ engine, queue, rates, plan, clock, devMode: config.devMode }),
    registry,
    queue,
    jobs,
    temporaryFiles: () => createTemporaryFiles(dataDir.temporary),
    uploads: { maxBytes: sources.maxFileBytes, idleMs: overrides.uploadIdleMs ?? UPLOAD_IDLE_MS },
    readBody: large.readBody,
    jsonLoad: new JsonLoad(getHeapStatistics().heap_size_limit * JSON_SHARE),
    baseUrl: config.baseUrl,
    plan,
    convert: (request) => convertWork(request, sources),
    build: (task) => buildWork(task, building),
    render: (request) => renderWork(request, rendering),
    text: (request, format) => textWork(request, format, extraction),
    meta: (request) => metaWork(request, extraction),
    thumbnail: (request, options) => thumbnailWork(request, options, sources),
  });

  const stopWatching = workers.watch(() => {
    engine.resize(workers.current());
    queue.dispatch();
  });
  const taken = registry.load().then(
    (pending) => jobs.resume(pending),
    (error) => log.error({ err: error }, 'jobs of an earlier run could not be taken over'),
  );
  const stopSweeping = repeat(SWEEP_MS, () =>
    registry.sweep().catch((error) => log.error({ err: error }, 'expired jobs could not be removed')),
  );

  const server = await listen(app, config.listen);
  const address = server.address() as AddressInfo;
  log.info({ address: address.address, port: address.port, ...engine.status() }, 'ready');
  audit.record('service.started');

  return {
    address,
    engine,
    stop: async () => {
      await Promise.all([jobs.stop(), taken]);
      stopSweeping();
      stopWatching();
      callbacks.stop();
      await drain(server, DRAIN_MS);
      license.stop();
      await Promise.all([large.stop(), threads.stop(), extraction.extractor.stop()]);
      await engine.stop();
      audit.record('service.stopped');
      await audit.close();
      log.info('stopped');
    },
  };
}
