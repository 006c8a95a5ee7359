import { finished, Readable } from 'node:stream';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import type { Slabs } from './slabs.ts';

/** Content that arrives once and, as long as there is memory to keep it, can be read again from its start. */
export interface Replay {
  /** From the start. */
  open(): Readable;
  /** Whether `open` can be called again. */
  repeatable(): boolean;
  /** Whether it is the content that failed, not who read it. */
  failed(): boolean;
  /** Gives back what was kept and leaves `source` to others. Nobody may use what was read any more. */
  end(): void;
}

/** Chunks that may wait for their reader. */
const MAX_AHEAD = 4;

/**
 * @param source its chunks are emptied once they have been read
 * @param idleMs milliseconds to wait for the next bytes. Content that stalls or breaks off ends in `bad_request`, of
 *   status 408 where it stalled.
 */
export function replayable(source: Readable, slabs: Slabs, idleMs: number): Replay {
  /** What is read: chunks by their number, each the full part of its slab. The first `gone` are no longer held. */
  const held: Buffer[] = [];
  let gone = 0;
  let filling: { slab: Buffer; length: number } | undefined;
  let kept = 0;
  let keeping = true;
  let complete = false;
  let failure: AppError | undefined;
  let opened: Readable | undefined;
  /** The number of the chunk that it reads next. */
  let position = 0;
  /** Settles with the next chunk, the end, or the failure. */
  let waiting: PromiseWithResolvers<void> | undefined;
  // One timer for everything. It counts only while something is waited for, and may ring for nobody in between.
  const idle = setTimeout(() => waiting && fail(stalled()), idleMs);

  source.pause();
  source.on('data', gather);
  // It may fail while nobody reads; whoever reads next learns of it.
  source.once('error', () => {});
  const unwatch = finished(source, { writable: false }, (error) => {
    if (error)
      fail(error instanceof AppError ? error : badRequest({ path: '', message: 'nội dung bị ngắt giữa chừng' }));
    else end();
  });

  function end(): void {
    complete = true;
    hold();
    settle();
  }

  function gather(bytes: Buffer): void {
    idle.refresh();
    for (let at = 0; at < bytes.length; ) {
      filling ??= { slab: slabs.take(), length: 0 };
      const copied = bytes.copy(filling.slab, filling.length, at);
      at += copied;
      filling.length += copied;
      if (filling.length === filling.slab.length) hold();
    }
    free(bytes);
  }

  function hold(): void {
    if (!filling) return;
    held.push(filling.slab.subarray(0, filling.length));
    filling = undefined;
    if (keeping && slabs.keep()) kept += 1;
    else release();
    if (gone + held.length - position >= MAX_AHEAD) source.pause();
    settle();
  }

  function release(): void {
    keeping = false;
    slabs.release(kept);
    kept = 0;
  }

  function fail(error: AppError): void {
    failure ??= error;
    waiting?.reject(failure);
    waiting = undefined;
  }

  function settle(): void {
    waiting?.resolve();
    waiting = undefined;
  }

  function more(): Promise<void> {
    if (!waiting) {
      waiting = Promise.withResolvers();
      idle.refresh();
      source.resume();
    }
    return waiting.promise;
  }

  /** One chunk of many; undefined behind the last one. */
  async function chunkAt(number: number, reader: Readable): Promise<Buffer | undefined> {
    while (number - gone >= held.length && !complete) {
      if (failure) throw failure;
      await more();
    }
    const chunk = held[number - gone];
    if (reader !== opened) return chunk;
    position = number + 1;
    while (!keeping && gone <= number && held.length > 0) {
      held.shift();
      gone += 1;
    }
    return chunk;
  }

  function reading(): Readable {
    let next = 0;
    const reader: Readable = new Readable({
      read: () => {
        chunkAt(next++, reader).then(
          (chunk) => reader.destroyed || reader.push(chunk ?? null),
          (error) => reader.destroy(error),
        );
      },
    });
    return reader;
  }

  return {
    open: () => {
      opened?.destroy();
      position = 0;
      opened = reading();
      return opened;
    },
    repeatable: () => keeping,
    failed: () => failure !== undefined,
    end: () => {
      clearTimeout(idle);
      unwatch();
      source.off('data', gather);
      source.pause();
      opened?.destroy();
      release();
      slabs.give(held.map(({ buffer }) => Buffer.from(buffer)));
      if (filling) slabs.give([filling.slab]);
      held.length = 0;
      filling = undefined;
    },
  };
}

function stalled(): AppError {
  return new AppError('bad_request', { errors: [{ path: '', message: 'nội dung ngừng được gửi' }] }, { status: 408 });
}

/** At once: the garbage of one large save makes the engine collect all of it, which takes as long as the save does. */
function free({ buffer, byteOffset, byteLength }: Buffer): void {
  const isWhole = byteOffset === 0 && byteLength === buffer.byteLength;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
