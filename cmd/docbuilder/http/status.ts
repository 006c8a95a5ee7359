import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { type Clock, iso } from '../../../src/common/clock.ts';
import type { DocbuilderLimits, DocbuilderStatus, Formats, UsageWindow } from '../../../src/common/generated/wire.ts';
import { API_VERSION, VERSION } from '../../../src/common/version.ts';
import { getContentType, getFamily, getTargets, SOURCE_FORMATS } from '../formats.ts';
import { type EffectivePlan, type Group, sumOverGroup } from '../jobs/limits.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { RateLimiter, WindowUsage } from '../jobs/rates.ts';

interface Dependencies {
  engine: { status(): Pick<DocbuilderStatus, 'core' | 'sandbox' | 'workers'> };
  queue: JobQueue;
  group: Group;
  rates: RateLimiter;
  plan: () => EffectivePlan;
  clock: Clock;
  devMode: boolean;
}

/**
 * The figures of the whole instance (contract: DocBuilder status, DocBuilder limits); time and version are this
 * replica's.
 */
export class Figures {
  readonly #deps: Dependencies;
  readonly #startedAt: number;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#startedAt = deps.clock();
  }

  status(): DocbuilderStatus {
    const { engine, plan, clock, devMode, group } = this.#deps;
    const now = clock();
    const { workers, ...own } = engine.status();
    const sum = (figure: keyof typeof workers) =>
      sumOverGroup(workers[figure], group, (other) => other.workers[figure]);
    return {
      service: 'docbuilder',
      version: VERSION,
      api: API_VERSION,
      time: iso(now),
      edition: plan().edition,
      dev_mode: devMode,
      ...own,
      workers: { total: sum('total'), idle: sum('idle'), busy: sum('busy'), restarts: sum('restarts') },
      queue: this.#counts(),
      uptime_seconds: Math.floor((now - this.#startedAt) / 1000),
    };
  }

  async limits(): Promise<DocbuilderLimits> {
    const { plan, rates } = this.#deps;
    const { edition, limits, allowed_endpoints, features } = plan();
    const { minute, day } = await rates.usage();
    const { running, queued } = this.#counts();
    return {
      edition,
      limits,
      usage: { minute: toWindow(minute), day: toWindow(day), running_jobs: running, queued_jobs: queued },
      allowed_endpoints: [...allowed_endpoints],
      features: [...features],
    };
  }

  /** Jobs of all replicas. */
  #counts(): DocbuilderStatus['queue'] {
    const { queue, group } = this.#deps;
    const { queued, running } = queue.counts();
    return {
      queued: sumOverGroup(queued, group, (other) => other.queued),
      running: sumOverGroup(running, group, (other) => other.running),
    };
  }
}

function toWindow({ resetAt, ...window }: WindowUsage): UsageWindow {
  return { ...window, reset_at: iso(resetAt) };
}

/** `GET /v1/status`. */
export function getStatus(figures: Figures): RequestHandler {
  return (_request, response) => void response.setHeader('Cache-Control', 'no-store').json(figures.status());
}

/** `GET /v1/limits`. */
export function getLimits(figures: Figures): RequestHandler {
  return async (_request, response) =>
    void response.setHeader('Cache-Control', 'no-store').json(await figures.limits());
}

/** `GET /v1/formats`: the conversion matrix. */
export function getFormats(): RequestHandler {
  const formats = SOURCE_FORMATS.map((format) => ({
    format,
    family: getFamily(format),
    content_type: getContentType(format),
    to: getTargets(format),
  }));
  return (_request, response) => void response.json({ formats } satisfies Formats);
}

/** Serves a file of `schemas/`: the OpenAPI document, or the schema that editors complete and check scripts with. */
export function serveSchema(name: string, type: string): RequestHandler {
  const body = readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8');
  return (_request, response) => void response.type(type).send(body);
}
