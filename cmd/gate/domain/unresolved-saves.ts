import { setTimeout as sleep } from 'node:timers/promises';
import { apart } from '../../../src/common/clock.ts';
import type { Common } from './common.ts';
import type { UploadRecord } from './model.ts';
import type { EditorSample, RowsReader } from './ports.ts';

/** The time without a view after which a save that broke off is not expected again; the editor’s list may lag. */
const ABSENT_MS = 3_000;
/** The least time for which a save of another gate is waited for: it may break off in a moment. */
const WAIT_MS = 1_000;
/** A save that its gate has not renewed for this long counts as failed. */
const SILENT_MS = 3_000;
const POLL_MS = 200;

interface Dependencies extends Pick<Common, 'rows' | 'uploads' | 'clock'> {
  /** The time that a save is expected again. */
  keepMs: number;
}

/** The saves of all gates that failed so that the editor repeats them, and those whose gate died. */
export class UnresolvedSaves {
  readonly #deps: Dependencies;
  /** Saves that broke off: by their blobs, the time since when nobody has had the document open. */
  #brokenOff = new Map<string, number | undefined>();
  /** A save that broke off may come again, which the next sample shows. */
  isSampleNeeded = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Returns whether a document has any. A save that another gate has under way is waited for until that gate renews it,
   * for a second at least.
   */
  async has(docId: string): Promise<boolean> {
    const { uploads } = this.#deps;
    const began = performance.now();
    for (let first: UploadRecord[] | undefined; ; ) {
      // Before and after the rows are read: meanwhile it may be written down.
      const isUnreported = uploads.hasUnreported(docId);
      const found = await this.#find({ docId });
      first ??= found;
      const hasFailed = found.some(({ state }) => state === 'failed' || state === 'broken_off');
      if (isUnreported || hasFailed || uploads.hasUnreported(docId)) return true;
      const waited = performance.now() - began;
      const others = found.filter((upload) => upload.gate !== uploads.gate);
      if (others.some(({ state }) => state === 'abandoned')) return true;
      const underWay = others.filter(
        ({ blob, state }) => state === 'under_way' && first.some((one) => one.blob === blob),
      );
      const silent = underWay.filter(({ blob, seenAt }) =>
        first.some((one) => one.blob === blob && one.seenAt === seenAt),
      );
      if (underWay.length === 0 || (silent.length === 0 && waited >= WAIT_MS)) return false;
      if (waited >= SILENT_MS) return silent.length > 0;
      await sleep(POLL_MS);
    }
  }

  /** Returns whether a save of a document is under way or unresolved. */
  async isExpected(tx: RowsReader, docId: string): Promise<boolean> {
    if (this.#deps.uploads.hasUnreported(docId)) return true;
    return (await tx.uploads({ docId })).some((upload) => this.#isRecent(upload));
  }

  /**
   * Ends saves that broke off and whose document is closed: a killed editor does not repeat them. Begins the time of
   * others anew where the clock was set back.
   */
  async observe({ at, views }: Pick<EditorSample, 'at' | 'views'>): Promise<void> {
    // One may break off while the rows are read.
    this.isSampleNeeded = false;
    const found = await this.#find({});
    const ahead = found.filter(({ seenAt }) => seenAt - at > this.#deps.keepMs);
    const uploads = found.filter(({ state }) => state === 'broken_off');
    const open = new Set(views.map(({ docId }) => docId));
    const absent = uploads.filter(({ docId }) => !open.has(docId));
    const before = this.#brokenOff;
    this.#brokenOff = new Map(absent.map(({ blob }): [string, number] => [blob, before.get(blob) ?? at]));
    const done = absent.filter(({ blob }) => apart(at, this.#brokenOff.get(blob) ?? at) >= ABSENT_MS);
    this.isSampleNeeded ||= uploads.length > done.length;
    if (done.length + ahead.length === 0) return;
    await this.#deps.rows.transact(async (tx) => {
      for (const upload of ahead) await tx.renewUpload({ ...upload, seenAt: at });
      for (const upload of done) await tx.renewUpload({ ...upload, state: 'over' });
    });
  }

  async #find(filter: Parameters<RowsReader['uploads']>[0]): Promise<UploadRecord[]> {
    const found = await this.#deps.rows.read((tx) => tx.uploads(filter));
    return found.filter((upload) => this.#isRecent(upload));
  }

  #isRecent({ state, seenAt }: UploadRecord): boolean {
    return state !== 'over' && this.#deps.clock() - seenAt < this.#deps.keepMs;
  }
}
