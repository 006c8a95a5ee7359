import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../src/common/clock.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';
import { Counting, type CountingState } from './counting.ts';
import type { EditorSample, SharedText } from './ports.ts';

/** The time that somebody waits for a place that is about to become free: it takes a second and an answer of the editor. */
const FREED_MS = 2_000;
const LOOK_MS = 100;
/** The number of conflicts after which work fails; one gate succeeds each time. */
const TRIES = 100;
/** Times are shared as whole seconds, so a place that is asked for again is written down once a second at most. */
const TICK_MS = 1_000;

/** The counting that all gates share. */
export interface Places {
  /**
   * Runs `work`, at once where the counting is in memory. It may run again after a conflict; only the last run counts.
   */
  use<Result>(work: (counting: Counting) => Result): Promise<Result> | Result;
  observe(sample: EditorSample): Promise<void>;
}

export interface CountingOptions {
  limit: () => number;
  clock: Clock;
}

export function createLocalPlaces(options: CountingOptions): Places {
  const counting = new Counting(options);
  return { use: (work) => work(counting), observe: async (sample) => counting.observe(sample) };
}

/** Resolves at once, unless a place is about to become free: then with the sample that frees it, or after 2 s. */
export async function waitForFreed(places: Pick<Places, 'use'>): Promise<void> {
  for (let left = FREED_MS; left > 0; left -= LOOK_MS) {
    if (!(await places.use((counting) => counting.isFreeing()))) return;
    await sleep(LOOK_MS, undefined, { ref: false });
  }
}

interface Waiting {
  work: (counting: Counting) => unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** The text that was read last. */
interface Known {
  version: number;
  text: string;
  counting: Counting;
}

/**
 * The counting of several gates, as one shared text. A change is written over the version that was read; after a
 * conflict the work runs again. Work that arrives meanwhile is done together. The time is the store’s.
 */
export class SharedPlaces implements Places {
  readonly #text: SharedText;
  readonly #options: CountingOptions;
  readonly #clock: Clock;
  #now = 0;
  #known: Known;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(text: SharedText, { limit, clock }: CountingOptions) {
    this.#text = text;
    this.#clock = clock;
    this.#options = { limit, clock: () => this.#now };
    this.#known = this.#parse(0);
  }

  use<Result>(work: (counting: Counting) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async observe(sample: EditorSample): Promise<void> {
    const age = this.#clock() - sample.at;
    await this.use((counting) => counting.observe({ ...sample, at: this.#now - age }));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        const results = await this.#doAll(batch);
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as never);
      } catch (error) {
        // Those who came meanwhile would wait as long, and in vain.
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error);
      }
    }
    this.#isRunning = false;
  }

  async #doAll(batch: readonly Waiting[]): Promise<unknown[]> {
    for (let left = TRIES; left > 0; left -= 1) {
      const { version, text, now } = await this.#text.read(this.#known.version);
      this.#now = Math.floor(now / TICK_MS) * TICK_MS;
      const known = text === undefined ? this.#known : this.#parse(version, text);
      const results = batch.map(({ work }) => work(known.counting));
      const after = JSON.stringify(known.counting);
      // Until its answer is here, nobody knows whether a write was done.
      this.#known = after === known.text ? known : this.#parse(0);
      if (after === known.text) return results;
      if (!(await this.#text.write(after, known.version))) continue;
      this.#known = { version: known.version + 1, text: after, counting: known.counting };
      return results;
    }
    throw new Unavailable(new Error('other gates were always quicker'));
  }

  /** Returns the counting of a text; that of version 0, which nobody has written, has none. */
  #parse(version: number, text = ''): Known {
    const stored = text === '' ? undefined : (JSON.parse(text) as CountingState);
    return { version, text, counting: new Counting(this.#options, stored) };
  }
}
