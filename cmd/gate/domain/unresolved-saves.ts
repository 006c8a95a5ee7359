import { apart, type Clock } from '../../../src/common/clock.ts';
import type { EditorSample } from './ports.ts';
import { createTimedKeys, type TimedKeys } from './timed-keys.ts';

/** The time that a document has to be without a view until its save is not expected again: the editor's list may lag. */
const ABSENT_MS = 3_000;

/** The documents whose last save failed in a way that makes the editor try again. */
export class UnresolvedSaves {
  readonly #documents: TimedKeys;
  /** The documents whose last save broke off, and since when nobody has had them open. */
  readonly #brokenOff = new Map<string, number | undefined>();
  readonly #clock: Clock;

  constructor(keepMs: number, clock: Clock) {
    this.#documents = createTimedKeys(keepMs);
    this.#clock = clock;
  }

  /** @param isBrokenOff whether its content broke off; otherwise the gate could not store it */
  add(docId: string, isBrokenOff: boolean): void {
    if (isBrokenOff) this.#brokenOff.set(docId, undefined);
    else this.#brokenOff.delete(docId);
    this.#documents.add(docId, this.#clock());
  }

  remove(docId: string): void {
    this.#documents.remove(docId);
  }

  has(docId: string): boolean {
    this.#documents.expire(this.#clock());
    return this.#documents.has(docId);
  }

  /** Returns whether a save that broke off may come again, so that a sample is needed soon. */
  needsSample(): boolean {
    return this.#brokenOff.size > 0;
  }

  /** Forgets saves that broke off and whose document is closed: an editor that was killed does not try again. */
  observe({ at, views }: Pick<EditorSample, 'at' | 'views'>): void {
    const open = new Set(views.map(({ docId }) => docId));
    for (const [docId, since = at] of this.#brokenOff) {
      this.#brokenOff.set(docId, open.has(docId) ? undefined : since);
      if (!open.has(docId) && apart(at, since) >= ABSENT_MS) this.remove(docId);
      if (!this.has(docId)) this.#brokenOff.delete(docId);
    }
  }
}
