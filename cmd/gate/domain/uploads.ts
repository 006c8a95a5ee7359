import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../src/common/clock.ts';
import { AppError, type AppErrorOptions, badRequest } from '../../../src/common/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import { atMost } from '../../../src/common/pause.ts';
import { repeat } from '../../../src/common/repeat.ts';
import type { UploadRecord, VersionRecord } from './model.ts';
import type { Blobs, Incoming, ReceiveOptions, Rows, RowsTransaction } from './ports.ts';

/** The interval at which a gate renews the rows of its uploads. */
const RENEW_MS = 1_000;
/** The time for which an answer waits until a failure is written down. */
const NOTE_MS = 1_000;
/** The time after which a failure need not be written down any more. */
const FORGET_MS = 60_000;

/** Content that stalled or broke off: a problem of its sender or the network. */
export class BrokenOff extends AppError {
  constructor(message: string, options: AppErrorOptions) {
    super('bad_request', { errors: [{ path: '', message }] }, options);
  }

  static stalled(): BrokenOff {
    return new BrokenOff('nội dung ngừng được gửi', { status: 408 });
  }

  /** An error of the content’s stream; an `AppError` stays as it is. */
  static from(error: Error): AppError {
    if (error instanceof AppError) return error;
    return new BrokenOff('nội dung bị ngắt giữa chừng', { cause: error });
  }
}

export interface UploadsDependencies {
  rows: Rows;
  blobs: Blobs;
  incoming: Incoming;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}

/** Bytes in the store that can become a version. */
export type Uploaded = Pick<VersionRecord, 'blob' | 'sha256' | 'size'>;

export interface StoreOptions extends ReceiveOptions {
  /** It is a save, which the editor repeats after a failure. */
  isSave?: boolean;
  /** Aborts when nobody waits for the answer any more; the content is stored all the same. */
  gone?: AbortSignal | undefined;
}

type Commit<Result> = (tx: RowsTransaction, uploaded: Uploaded) => Promise<Result>;

/** Stores content. The row of an upload shows its state to all gates. */
export class Uploads {
  /** The id of this gate in its rows. */
  readonly gate: string = newName();
  readonly #deps: UploadsDependencies;
  readonly #underWay = new Set<UploadRecord>();
  /** Failed uploads whose rows do not say so yet. */
  readonly #unreported = new Set<UploadRecord>();
  readonly #stopRenewing: () => unknown;

  constructor(deps: UploadsDependencies) {
    this.#deps = deps;
    this.#stopRenewing = repeat(RENEW_MS, () => this.#renew());
  }

  /**
   * Receives content into a file, moves the file into the store under a new name, and runs `commit`, which has to call
   * `takeUpload` or `dropUpload`. A row notes the name before the bytes are stored, so that cleaning finds them after a
   * failure.
   * @throws {AppError} `bad_request` for content that is empty, stalls or breaks off; `file_too_large`
   */
  async store<Result>(
    docId: string,
    content: Readable,
    options: StoreOptions,
    commit: Commit<Result>,
  ): Promise<Result> {
    const { rows, blobs, incoming, clock, log } = this.#deps;
    const { isSave = false, gone, attempt = (work) => work() } = options;
    const blob = newName();
    const state = isSave ? 'under_way' : 'over';
    const upload: UploadRecord = { blob, docId, gate: this.gate, state, seenAt: clock() };
    const abandon = (): void => {
      if (isSave) upload.state = 'abandoned';
      void this.#renew();
    };
    gone?.addEventListener('abort', abandon);
    this.#underWay.add(upload);
    const isOn = (): boolean => this.#underWay.has(upload);
    // The content arrives meanwhile.
    const noted = attempt(async () => (isOn() ? rows.transact((tx) => tx.putUpload({ ...upload })) : undefined));
    noted.catch(() => {});
    try {
      const file = await incoming.receive(content, options);
      try {
        if (file.size === 0) throw badRequest({ path: '', message: 'tài liệu không bao giờ rỗng' });
        await noted;
        await attempt((signal) => blobs.put(file, blob, signal));
        const uploaded = { blob, sha256: file.sha256, size: file.size };
        const result = await attempt(() => rows.transact((tx) => commit(tx, uploaded)));
        for (const other of this.#unreported) if (other.docId === docId) this.#unreported.delete(other);
        return result;
      } finally {
        const warn = (error: unknown) => log.error({ err: error }, 'a received file could not be removed');
        await incoming.discard(file).catch(warn);
      }
    } catch (error) {
      this.#underWay.delete(upload);
      await atMost(NOTE_MS, this.#noteFailure(upload, error, noted));
      throw error;
    } finally {
      gone?.removeEventListener('abort', abandon);
      this.#underWay.delete(upload);
    }
  }

  /** Notes a save that failed before its content was read. */
  async fail(docId: string): Promise<void> {
    this.#unreported.add({ blob: newName(), docId, gate: this.gate, state: 'failed', seenAt: this.#deps.clock() });
    await atMost(NOTE_MS, this.#renew());
  }

  /**
   * Ends, in the transaction of a later save, those of a document that failed. @param isAwaited the editor waits for that
   * save, which it sends only once it has given up all that came before
   */
  async resolve(tx: RowsTransaction, docId: string, isAwaited: boolean): Promise<void> {
    const states = ['failed', 'broken_off', ...(isAwaited ? (['abandoned'] as const) : [])] as const;
    await tx.resolveUploads(docId, this.gate, states);
    // Their rows may not say so yet.
    const own = [...this.#unreported, ...this.#underWay];
    for (const upload of own)
      if (upload.docId === docId && states.some((state) => state === upload.state))
        await tx.putUpload({ ...upload, state: 'over' });
  }

  /** Ends renewing. */
  stop(): void {
    this.#underWay.clear();
    this.#unreported.clear();
    this.#stopRenewing();
  }

  /** Returns whether an upload of a document failed and the rows do not say so yet. */
  hasUnreported(docId: string): boolean {
    return [...this.#unreported].some((upload) => upload.docId === docId);
  }

  async #noteFailure(upload: UploadRecord, error: unknown, noted: Promise<void>): Promise<void> {
    const { rows, clock } = this.#deps;
    const isRefused = error instanceof AppError && !(error instanceof BrokenOff) && error.status !== 503;
    if (isRefused || upload.state === 'over') {
      await noted.then(() => rows.transact((tx) => dropUpload(tx, upload.blob, clock()))).catch(() => {});
      return;
    }
    const state = error instanceof BrokenOff ? 'broken_off' : 'failed';
    this.#unreported.add({ ...upload, state, seenAt: clock() });
    await this.#renew();
  }

  /**
   * Renews the rows of uploads under way, and writes down failures. A transaction that fails is tried again the next
   * time.
   */
  async #renew(): Promise<void> {
    if (this.#underWay.size + this.#unreported.size === 0) return;
    const { rows, clock } = this.#deps;
    const now = clock();
    for (const upload of this.#unreported) if (now - upload.seenAt > FORGET_MS) this.#unreported.delete(upload);
    const failed = [...this.#unreported];
    const work = rows.transact(async (tx) => {
      for (const upload of this.#underWay) await tx.renewUpload({ ...upload, seenAt: now });
      for (const upload of failed) await tx.putUpload(upload);
    });
    await work.then(
      () => {
        for (const upload of failed) this.#unreported.delete(upload);
      },
      () => {},
    );
  }
}

/**
 * Ends an upload in the transaction that makes a version of it.
 * @throws {AppError} 503 when cleaning has given it up, and its bytes are removed
 */
export async function takeUpload(tx: RowsTransaction, blob: string): Promise<void> {
  if (!(await tx.removeUpload(blob))) throw new AppError('internal', {}, { status: 503 });
}

/**
 * Ends an upload without a version. If its row is gone, an earlier commit took it and only the answer was lost: its
 * bytes stay.
 */
export async function dropUpload(tx: RowsTransaction, blob: string, now: number): Promise<void> {
  // Not at once: the store may still take in bytes whose answer came late.
  if (await tx.removeUpload(blob)) await tx.addRemoval(blob, now);
}

function newName(): string {
  return randomBytes(16).toString('hex');
}
