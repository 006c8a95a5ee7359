import { type Clock, iso } from '../../../src/common/clock.ts';
import type { DocbuilderLimits, DocbuilderStatus, Formats, UsageWindow } from '../../../src/common/generated/wire.ts';
import { API_VERSION, VERSION } from '../../../src/common/version.ts';
import { contentTypeOf, familyOf, SOURCE_FORMATS, targetsOf } from '../formats.ts';
import type { EffectivePlan } from '../jobs/limits.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { RateLimiter, WindowUsage } from './rate-limit.ts';

interface Dependencies {
  engine: { status(): Pick<DocbuilderStatus, 'core' | 'sandbox' | 'workers'> };
  queue: JobQueue;
  rates: RateLimiter;
  plan: () => EffectivePlan;
  clock: Clock;
  devMode: boolean;
}

/** The service's figures (contract: DocBuilder status, DocBuilder limits). */
export class Figures {
  readonly #deps: Dependencies;
  readonly #startedAt: number;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#startedAt = deps.clock();
  }

  status(): DocbuilderStatus {
    const { engine, queue, plan, clock, devMode } = this.#deps;
    const now = clock();
    return {
      service: 'docbuilder',
      version: VERSION,
      api: API_VERSION,
      time: iso(now),
      edition: plan().edition,
      dev_mode: devMode,
      ...engine.status(),
      queue: queue.counts(),
      uptime_seconds: Math.floor((now - this.#startedAt) / 1000),
    };
  }

  limits(): DocbuilderLimits {
    const { plan, rates, queue } = this.#deps;
    const { edition, limits, allowed_endpoints, features } = plan();
    const { minute, day } = rates.usage();
    const { running, queued } = queue.counts();
    return {
      edition,
      limits,
      usage: { minute: windowOf(minute), day: windowOf(day), running_jobs: running, queued_jobs: queued },
      allowed_endpoints: [...allowed_endpoints],
      features: [...features],
    };
  }
}

function windowOf({ resetAt, ...window }: WindowUsage): UsageWindow {
  return { ...window, reset_at: iso(resetAt) };
}

/** The conversion matrix as `GET /v1/formats` shows it. */
export function formats(): Formats {
  return {
    formats: SOURCE_FORMATS.map((format) => ({
      format,
      family: familyOf(format),
      content_type: contentTypeOf(format),
      to: targetsOf(format),
    })),
  };
}
