import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { KubeConfig } from '@kubernetes/client-node';
import { createAudit } from '../../src/common/audit.ts';
import { type Clock, systemClock } from '../../src/common/clock.ts';
import { drain, listen } from '../../src/common/http/server.ts';
import type { Logger } from '../../src/common/log.ts';
import { atMost } from '../../src/common/pause.ts';
import { VERSION } from '../../src/common/version.ts';
import type { Config } from './config.ts';
import type { Settings } from './desired/types.ts';
import { healthApp } from './health.ts';
import { ApiError } from './k8s/api-error.ts';
import { ApiClient } from './k8s/client.ts';
import { eventRecorder } from './k8s/events.ts';
import { currentNamespace, loadKubeConfig } from './k8s/kube-config.ts';
import { type Election, electLeader } from './k8s/lease.ts';
import type { Reflector } from './k8s/reflector.ts';
import { RESOURCES } from './k8s/resources.ts';
import { startWatchdog } from './k8s/watchdog.ts';
import { DEFINITION_MISSING, definitionProblem } from './reconcile/definition.ts';
import { Instances } from './reconcile/instances.ts';
import { watchLicenseKeys } from './reconcile/license-keys.ts';
import { OwnedObjects } from './reconcile/owned-objects.ts';
import { WorkQueue } from './reconcile/queue.ts';
import { InstanceReconciler } from './reconcile/reconciler.ts';
import { RepairLimiter } from './reconcile/repair-limiter.ts';
import { startWatches, untilRead } from './watches.ts';

const CONTROLLER = 'svc.internal/controller';
/** Milliseconds. Well below the 10 s in which the lease must be renewed. */
const LEASE_TIMEOUT_MS = 4_000;
/** Until the definition of our kind is looked for again. */
const DEFINITION_MS = 2_000;
/** A watch gives a sign of life at least every minute while there is an API server; three times that is not normal. */
const STALE_MS = 180_000;
/** How long a stop waits for reconciles that run. */
const STOP_MS = 20_000;
/** And for events that are not written yet. */
const FLUSH_MS = 2_000;

/** What a test may put in the place of the real thing. */
export interface Overrides {
  kubeConfig?: KubeConfig;
  clock?: Clock;
  lookAgainMs?: number;
  /** Another may lead: nothing may be written any more. */
  onLost?: () => void;
}

export interface Controller {
  /** Where it tells of its health. */
  address: AddressInfo;
  /** Finishes the reconciles that run, gives the Lease back. */
  stop(): Promise<void>;
}

/** Puts the controller together and starts it: the one place that knows which concrete part plays which role. */
export async function startController(config: Config, log: Logger, overrides: Overrides = {}): Promise<Controller> {
  const clock = overrides.clock ?? systemClock;
  const kubeConfig = overrides.kubeConfig ?? loadKubeConfig();
  const client = new ApiClient(kubeConfig);
  const leaseApi = new ApiClient(kubeConfig, { timeoutMs: LEASE_TIMEOUT_MS });
  const audit = createAudit('controller', config.auditTarget, log);
  const keys = await watchLicenseKeys(config.licenseKeysFile, {
    log,
    onChange() {
      for (const key of instances.keys()) queue.add(key);
    },
  });

  const instances = new Instances();
  const owned = new OwnedObjects();
  const repairs = new RepairLimiter(clock);
  const events = eventRecorder({ client, controller: CONTROLLER, instance: config.identity, clock, log });
  const settings = (): Settings => ({
    version: VERSION,
    images: config.images,
    pullSecrets: config.pullSecrets,
    clusterDomain: config.clusterDomain,
    clusterDns: config.clusterDns,
    licenseKeys: keys.current(),
    policy: config.policy,
  });
  const reconciler = new InstanceReconciler({
    ...{ client, owned, instances, repairs, settings, events, audit, clock, log },
    random: randomBytes,
    lookAgainMs: overrides.lookAgainMs,
  });
  const queue = new WorkQueue({
    reconcile: (key, signal, failures) => reconciler.reconcile(key, signal, failures),
    log,
  });

  let waitsFor: string | undefined = 'starting';
  let reachable = true;
  let stopped = false;
  let watches: Reflector[] = [];
  let election: Election | undefined;
  /** Without an election there is nobody else. */
  let leadsAlone = false;

  function unready(): string | undefined {
    // Somebody has deleted it, and all instances with it.
    const undefinedNow = watches.some((watch) => watch.resource === RESOURCES.svcInstance && watch.absent());
    if (undefinedNow) return DEFINITION_MISSING;
    const trouble = watches.map((watch) => watch.trouble()).find(Boolean);
    return waitsFor && trouble ? `${waitsFor}: ${trouble}` : waitsFor;
  }

  const server = await listen(
    healthApp({
      sick: () => {
        // An API server that is away is not cured by starting anew.
        if (!reachable) return undefined;
        const stale = watches.find((watch) => clock() - watch.lastContact() > STALE_MS);
        if (stale) return `the watch of ${stale.resource.plural} gives no sign of life`;
        return queue.figures().longestMs > STALE_MS ? 'a reconcile does not end' : undefined;
      },
      unready,
      figures: () => ({
        leading: election?.leading() ?? leadsAlone,
        waits_for: unready() ?? null,
        instances: instances.keys().length,
        owned: owned.size,
        queue: queue.figures(),
        events_waiting: events.waiting(),
        rss: process.memoryUsage.rss(),
      }),
    }),
    config.listen,
  );
  const watchdog = startWatchdog({
    async probe() {
      try {
        await leaseApi.ready();
        reachable = true;
      } catch (error) {
        reachable = error instanceof ApiError;
        throw error;
      }
    },
    watches: () => [{ restart: () => client.reconnect() }, ...watches],
    log,
  });

  async function untilDefined(): Promise<void> {
    for (let told = ''; !stopped; await new Promise((resolve) => setTimeout(resolve, DEFINITION_MS))) {
      const problem = await definitionProblem(leaseApi, config.namespaces).catch((error: Error) => error.message);
      if (problem === undefined) return;
      waitsFor = problem;
      if (problem !== told) log.error({ problem }, 'waiting');
      told = problem;
    }
  }

  function lost(): void {
    log.fatal('the lease is lost: another may lead, ending at once');
    process.exit(1);
  }

  async function begin(): Promise<void> {
    await untilDefined();
    if (stopped) return;
    waitsFor = 'reading what there is';
    watches = startWatches({ client, namespaces: config.namespaces, instances, owned, repairs, queue, clock, log });
    const missing = await untilRead(watches);
    if (stopped) return;
    waitsFor = undefined;
    if (missing.length > 0)
      log.warn({ namespaces: missing }, 'namespaces that may not be read: looked after when they may');
    log.info({ instances: instances.keys().length, objects: owned.size }, 'ready');
    if (!config.leaderElection) {
      log.info('leading');
      leadsAlone = true;
      return void queue.start();
    }
    election = electLeader({
      client: leaseApi,
      namespace: config.leaseNamespace ?? currentNamespace(kubeConfig),
      name: config.leaseName,
      identity: config.identity,
      onElected: () => queue.start(),
      onLost: overrides.onLost ?? lost,
      log,
    });
  }

  audit.record('service.started');
  const begun = begin();
  begun.catch((error) => {
    log.fatal({ err: error }, 'cannot begin');
    process.exit(1);
  });

  return {
    address: server.address() as AddressInfo,
    async stop() {
      stopped = true;
      // The Lease is held until nothing is written any more.
      await atMost(STOP_MS, queue.stop());
      await election?.stop();
      await atMost(FLUSH_MS, events.flushed());
      events.stop();
      watchdog.stop();
      for (const watch of watches) watch.stop();
      keys.stop();
      await drain(server, 1_000);
      client.close();
      leaseApi.close();
      audit.record('service.stopped');
      await audit.close();
      log.info('stopped');
    },
  };
}
