import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { type Clock, iso } from '../../../src/common/clock.ts';
import type { DocbuilderLimits, DocbuilderStatus, Formats, UsageWindow } from '../../../src/common/generated/wire.ts';
import { API_VERSION, VERSION } from '../../../src/common/version.ts';
import { getContentType, getFamily, getTargets, SOURCE_FORMATS } from '../formats.ts';
import { type EffectivePlan, type Group, sumOverGroup } from '../jobs/limits.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { RateLimiter, WindowUsage } from '../jobs/rates.ts';

export interface FigureHandlers {
  engine: { status(): Pick<DocbuilderStatus, 'core' | 'sandbox' | 'workers'> };
  queue: JobQueue;
  group: Group;
  rates: RateLimiter;
  plan: () => EffectivePlan;
  clock: Clock;
  devMode: boolean;
}

/** `GET /v1/status` (contract: DocBuilder status). Counts are those of all replicas, time and version this one's. */
export function getStatus(deps: FigureHandlers): RequestHandler {
  const { engine, plan, clock, devMode, group } = deps;
  const startedAt = clock();
  return (_request, response) => {
    const now = clock();
    const { workers, ...own } = engine.status();
    const sum = (figure: keyof typeof workers) =>
      sumOverGroup(workers[figure], group, (other) => other.workers[figure]);
    const status: DocbuilderStatus = {
      service: 'docbuilder',
      version: VERSION,
      api: API_VERSION,
      time: iso(now),
      edition: plan().edition,
      dev_mode: devMode,
      ...own,
      workers: { total: sum('total'), idle: sum('idle'), busy: sum('busy'), restarts: sum('restarts') },
      queue: countJobs(deps),
      uptime_seconds: Math.floor((now - startedAt) / 1000),
    };
    response.setHeader('Cache-Control', 'no-store').json(status);
  };
}

/** `GET /v1/limits` (contract: DocBuilder limits). */
export function getLimits(deps: FigureHandlers): RequestHandler {
  return async (_request, response) => {
    const { edition, limits, allowed_endpoints, features } = deps.plan();
    const { minute, day } = await deps.rates.usage();
    const { running, queued } = countJobs(deps);
    const usage = { minute: toWindow(minute), day: toWindow(day), running_jobs: running, queued_jobs: queued };
    const body: DocbuilderLimits = { edition, limits, usage, allowed_endpoints, features };
    response.setHeader('Cache-Control', 'no-store').json(body);
  };
}

/** Counts the jobs of all replicas. */
function countJobs({ queue, group }: FigureHandlers): DocbuilderStatus['queue'] {
  const { queued, running } = queue.counts();
  return {
    queued: sumOverGroup(queued, group, (other) => other.queued),
    running: sumOverGroup(running, group, (other) => other.running),
  };
}

function toWindow({ resetAt, ...window }: WindowUsage): UsageWindow {
  return { ...window, reset_at: iso(resetAt) };
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

/** Serves a file of `schemas/`. */
export function serveSchema(name: string, type: string): RequestHandler {
  const body = readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8');
  return (_request, response) => void response.type(type).send(body);
}
