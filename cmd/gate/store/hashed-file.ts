import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { fileTooLarge } from '../../../src/common/errors.ts';
import type { Attempt } from '../domain/ports.ts';
import { BrokenOff } from '../domain/uploads.ts';

/** The bytes that may arrive while the disk writes those before them. */
const WRITE_BEHIND_BYTES = 256 * 1024;
/** The bytes after which a flush begins while more arrive, so that little is left to flush at the end. */
const FLUSH_BYTES = 4 * 1024 * 1024;

type Done = (error?: Error | null) => void;

/**
 * A stream into an empty file that hashes its bytes, and flushes them before it finishes if the file is to stay. It
 * fails when it becomes too large, and when nothing arrives for a while.
 */
export class HashedFile extends Writable {
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  readonly #isKept: boolean;
  readonly #attempt: Attempt;
  readonly #hash = createHash('sha256');
  #size = 0;
  #unflushed = 0;
  /** The kernel reports a failed flush once, and a later one of the same file may succeed: each has to be awaited. */
  #flushes: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #isWriting = false;
  readonly #idle: NodeJS.Timeout;

  /** @param options.attempt runs each write; a flush is never repeated */
  constructor(file: FileHandle, options: { maxBytes: number; idleMs: number; attempt: Attempt; isKept: boolean }) {
    super({ highWaterMark: WRITE_BEHIND_BYTES });
    this.#idle = setTimeout(() => this.#onIdle(), options.idleMs);
    this.#file = file;
    this.#maxBytes = options.maxBytes;
    this.#isKept = options.isKept;
    this.#attempt = options.attempt;
  }

  get size(): number {
    return this.#size;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#append([chunk]).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#append(chunks.map(({ chunk }) => chunk)).then(() => done(), done);
  }

  override _final(done: Done): void {
    clearTimeout(this.#idle);
    const last = this.#isKept ? this.#file.datasync() : undefined;
    Promise.all([this.#flushes, last]).then(() => done(), done);
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#idle);
    done(error);
  }

  #onIdle(): void {
    // The disk may be what is slow.
    if (this.#isWriting) this.#idle.refresh();
    else this.destroy(BrokenOff.stalled());
  }

  async #append(chunks: Buffer[]): Promise<void> {
    const start = this.#size;
    for (const { length } of chunks) this.#size += length;
    if (this.#size > this.#maxBytes) throw fileTooLarge(this.#maxBytes);
    this.#isWriting = true;
    const writing = this.#write(chunks, start);
    // The disk works meanwhile.
    for (const chunk of chunks) this.#hash.update(chunk);
    await writing;
    this.#isWriting = false;
    if (!this.destroyed) this.#idle.refresh();
    this.#unflushed += this.#size - start;
    if (this.#isKept && this.#unflushed >= FLUSH_BYTES && !this.#isFlushing) this.#flush();
  }

  async #write(chunks: Buffer[], start: number): Promise<void> {
    let position = start;
    let left = chunks;
    await this.#attempt(async () => {
      // A disk that is nearly full takes a part of the bytes. After `destroy` nobody needs the rest.
      while (left.length > 0 && !this.destroyed) {
        const { bytesWritten } = await this.#file.writev(left, position);
        position += bytesWritten;
        left = skipBytes(left, bytesWritten);
      }
    });
  }

  #flush(): void {
    this.#unflushed = 0;
    this.#isFlushing = true;
    const flush = this.#file.datasync().then(() => {
      this.#isFlushing = false;
    });
    this.#flushes = Promise.all([this.#flushes, flush]).then(() => {});
    // Awaited in `_final`, unless the content fails before.
    this.#flushes.catch(() => {});
  }
}

function skipBytes(chunks: Buffer[], bytes: number): Buffer[] {
  let skipped = 0;
  const index = chunks.findIndex((chunk) => {
    const isLeft = skipped + chunk.length > bytes;
    if (!isLeft) skipped += chunk.length;
    return isLeft;
  });
  const [first, ...rest] = index === -1 ? [] : chunks.slice(index);
  return first ? [first.subarray(bytes - skipped), ...rest] : [];
}
