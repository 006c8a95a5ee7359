import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeConfig } from '@kubernetes/client-node';
import { type Audit, createAudit } from '../../src/common/audit.ts';
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
import { EventRecorder } from './k8s/events.ts';
import { currentNamespace, loadKubeConfig } from './k8s/kube-config.ts';
import { LeaderElection } from './k8s/lease.ts';
import { startWatchdog } from './k8s/watchdog.ts';
import { DEFINITION_MISSING, definitionProblem } from './reconcile/definition.ts';
import { Instances } from './reconcile/instances.ts';
import { type LicenseKeys, watchLicenseKeys } from './reconcile/license.ts';
import { OwnedObjects } from './reconcile/owned-objects.ts';
import { RepairLimiter, WorkQueue } from './reconcile/queue.ts';
import { InstanceReconciler } from './reconcile/reconciler.ts';
import { Watches } from './watches.ts';

const CONTROLLER = 'svc.internal/controller';
/** Well below the 10 s in which the lease must be renewed. */
const LEASE_TIMEOUT_MS = 4_000;
const DEFINITION_MS = 2_000;
/** Watches have a sign of life twice a minute. */
const STALE_MS = 180_000;
/** A stop waits so long for running reconciles, then for events. */
const STOP_MS = 20_000;
const FLUSH_MS = 2_000;

/** For tests. */
export interface Overrides {
  kubeConfig?: KubeConfig;
  clock?: Clock;
  lookAgainMs?: number;
}

/** Resolves once the controller serves its health; then it waits for the API server, and to be elected. */
export async function startController(config: Config, log: Logger, overrides: Overrides = {}): Promise<Controller> {
  const controller = new Controller(config, log, overrides);
  await controller.start();
  return controller;
}

/** The composition root. */
export class Controller {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #kubeConfig: KubeConfig;
  readonly #clock: Clock;
  readonly #client: ApiClient;
  readonly #leaseClient: ApiClient;
  readonly #audit: Audit;
  readonly #events: EventRecorder;
  readonly #instances = new Instances();
  readonly #owned = new OwnedObjects((key, id) => this.#queue.addAfter(key, this.#repairs.delayMs(id)));
  readonly #repairs: RepairLimiter;
  readonly #queue: WorkQueue;
  #keys: LicenseKeys | undefined;
  #server: Server | undefined;
  #watchdog: { stop(): void } | undefined;
  #watches: Watches | undefined;
  #election: LeaderElection | undefined;
  /** Without an election there is nobody else. */
  #leadsAlone = false;
  /** Why it cannot do its work yet. */
  #waitsFor: string | undefined = 'starting';
  #reachable = true;
  #stopped = false;

  constructor(config: Config, log: Logger, overrides: Overrides) {
    this.#config = config;
    this.#log = log;
    this.#kubeConfig = overrides.kubeConfig ?? loadKubeConfig();
    this.#clock = overrides.clock ?? systemClock;
    this.#client = new ApiClient(this.#kubeConfig);
    this.#leaseClient = new ApiClient(this.#kubeConfig, { timeoutMs: LEASE_TIMEOUT_MS });
    this.#audit = createAudit('controller', config.auditTarget, log);
    this.#repairs = new RepairLimiter(this.#clock);
    const parts = { client: this.#client, clock: this.#clock, log };
    this.#events = new EventRecorder({ ...parts, controller: CONTROLLER, instance: config.identity });
    const reconciler = new InstanceReconciler({
      ...parts,
      ...{ owned: this.#owned, instances: this.#instances, repairs: this.#repairs },
      ...{ events: this.#events, audit: this.#audit, random: randomBytes, lookAgainMs: overrides.lookAgainMs },
      settings: () => this.#settings(),
    });
    this.#queue = new WorkQueue({
      reconcile: (key, signal, failures) => reconciler.reconcile(key, signal, failures),
      log,
    });
  }

  async start(): Promise<void> {
    this.#keys = await watchLicenseKeys(this.#config.licenseKeysFile, {
      log: this.#log,
      onChange: () => {
        for (const key of this.#instances.keys()) this.#queue.add(key);
      },
    });
    const checks = { '/healthz': () => this.#unhealthy(), '/readyz': () => this.#notReady() };
    this.#server = await listen(
      healthApp(checks, () => this.#figures()),
      this.#config.listen,
    );
    this.#watchdog = startWatchdog({
      probe: () => this.#probe(),
      onReachable: () => {
        this.#client.close();
        this.#watches?.restart();
      },
      log: this.#log,
    });
    this.#audit.record('service.started');
    this.#begin().catch((error) => {
      this.#log.fatal({ err: error }, 'cannot begin');
      process.exit(1);
    });
  }

  /** The address of `/healthz`, `/readyz` and `/status`. */
  get address(): AddressInfo {
    return this.#server?.address() as AddressInfo;
  }

  /** Waits for running reconciles, then releases the Lease. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await atMost(STOP_MS, this.#queue.stop());
    await this.#election?.stop();
    await atMost(FLUSH_MS, this.#events.flushed());
    this.#events.stop();
    this.#watchdog?.stop();
    this.#watches?.stop();
    this.#keys?.stop();
    if (this.#server) await drain(this.#server, 1_000);
    this.#client.close();
    this.#leaseClient.close();
    this.#audit.record('service.stopped');
    await this.#audit.close();
    this.#log.info('stopped');
  }

  async #begin(): Promise<void> {
    const { namespaces, leaderElection } = this.#config;
    await this.#untilDefined();
    if (this.#stopped) return;
    this.#waitsFor = 'reading what there is';
    this.#watches = new Watches({
      ...{ client: this.#client, clock: this.#clock, log: this.#log, namespaces },
      ...{ instances: this.#instances, owned: this.#owned, repairs: this.#repairs, queue: this.#queue },
    });
    const missing = await this.#watches.synced();
    if (this.#stopped) return;
    this.#waitsFor = undefined;
    if (missing.length > 0) {
      this.#log.warn({ namespaces: missing }, 'namespaces that may not be read: looked after when they may');
    }
    this.#log.info({ instances: this.#instances.keys().length, objects: this.#owned.size }, 'ready');
    if (leaderElection) this.#election = this.#electLeader();
    else {
      this.#log.info('leading');
      this.#leadsAlone = true;
      this.#queue.start();
    }
  }

  #electLeader(): LeaderElection {
    const { leaseNamespace, leaseName, identity } = this.#config;
    return new LeaderElection({
      client: this.#leaseClient,
      namespace: leaseNamespace ?? currentNamespace(this.#kubeConfig),
      ...{ name: leaseName, identity, log: this.#log },
      onElected: () => this.#queue.start(),
      onLost: () => {
        this.#log.fatal('the lease is lost: another may lead, ending at once');
        process.exit(1);
      },
    });
  }

  async #untilDefined(): Promise<void> {
    let logged = '';
    while (!this.#stopped) {
      const problem = await definitionProblem(this.#leaseClient).catch((error: Error) => error.message);
      if (problem === undefined) return;
      this.#waitsFor = problem;
      if (problem !== logged) this.#log.error({ problem }, 'waiting');
      logged = problem;
      await new Promise((resolve) => setTimeout(resolve, DEFINITION_MS));
    }
  }

  async #probe(): Promise<void> {
    try {
      await this.#leaseClient.ready();
      this.#reachable = true;
    } catch (error) {
      this.#reachable = error instanceof ApiError;
      throw error;
    }
  }

  #figures(): object {
    return {
      leading: this.#election?.leading() ?? this.#leadsAlone,
      waits_for: this.#notReady() ?? null,
      instances: this.#instances.keys().length,
      owned: this.#owned.size,
      queue: this.#queue.figures(),
      events_waiting: this.#events.waiting(),
      rss: process.memoryUsage.rss(),
    };
  }

  #unhealthy(): string | undefined {
    // A restart does not help while the API server cannot be reached.
    if (!this.#reachable) return undefined;
    const stale = this.#watches?.reflectors.find((reflector) => this.#clock() - reflector.lastContact() > STALE_MS);
    if (stale) return `the watch of ${stale.resource.plural} gives no sign of life`;
    return this.#queue.figures().longestMs > STALE_MS ? 'a reconcile does not end' : undefined;
  }

  #notReady(): string | undefined {
    if (this.#watches?.definitionAbsent()) return DEFINITION_MISSING;
    const trouble = this.#watches?.reflectors.map((reflector) => reflector.trouble()).find(Boolean);
    return this.#waitsFor && trouble ? `${this.#waitsFor}: ${trouble}` : this.#waitsFor;
  }

  #settings(): Settings {
    return { ...this.#config, version: VERSION, licenseKeys: this.#keys?.current() ?? '' };
  }
}
