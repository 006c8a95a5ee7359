import { Readable } from 'node:stream';
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

/**
 * @param idleMs milliseconds to wait for the next bytes. Content that stalls or breaks off ends in `bad_request`, of
 *   status 408 where it stalled.
 */
export function replayable(source: Readable, slabs: Slabs, idleMs: number): Replay {
  const iterator: AsyncIterator<Buffer> = source.iterator({ destroyOnReturn: false });
  // It may fail while nobody reads; whoever reads next learns of it.
  source.once('error', () => {});
  /** What is read: chunks by their number, each the full part of its slab. The first `gone` are no longer held. */
  const held: Buffer[] = [];
  let gone = 0;
  let filling: { slab: Buffer; length: number } | undefined;
  let kept = 0;
  let keeping = true;
  let complete = false;
  let failure: AppError | undefined;
  let pulling: Promise<void> | undefined;
  let opened: Readable | undefined;
  let fail: (error: unknown) => void = () => {};
  // One timer for all chunks. It counts only while one is waited for, and may ring for nobody in between.
  const idle = setTimeout(() => fail(stalled()), idleMs);

  function pull(): Promise<void> {
    idle.refresh();
    const arrived = new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      fail = reject;
      iterator.next().then(resolve, reject);
    });
    return arrived.then(take, (error) => {
      failure = error instanceof AppError ? error : badRequest({ path: '', message: 'the content broke off' });
      throw failure;
    });
  }

  function take({ done, value }: IteratorResult<Buffer>): void {
    pulling = undefined;
    fail = () => {};
    if (!done) gather(value);
    else {
      complete = true;
      hold();
    }
  }

  function gather(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      filling ??= { slab: slabs.take(), length: 0 };
      const copied = bytes.copy(filling.slab, filling.length, at);
      at += copied;
      filling.length += copied;
      if (filling.length === filling.slab.length) hold();
    }
  }

  function hold(): void {
    if (!filling) return;
    held.push(filling.slab.subarray(0, filling.length));
    filling = undefined;
    if (!keeping) return;
    if (slabs.keep()) {
      kept += 1;
      return;
    }
    keeping = false;
    release();
  }

  function release(): void {
    slabs.release(kept);
    kept = 0;
  }

  /** One chunk of many; undefined behind the last one. */
  async function chunkAt(number: number, reader: Readable): Promise<Buffer | undefined> {
    while (number - gone >= held.length && !complete) {
      pulling ??= pull();
      await pulling;
    }
    const chunk = held[number - gone];
    while (!keeping && reader === opened && gone <= number && held.length > 0) {
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
      opened = reading();
      return opened;
    },
    repeatable: () => keeping,
    failed: () => failure !== undefined,
    end: () => {
      clearTimeout(idle);
      keeping = false;
      opened?.destroy();
      release();
      slabs.give(held.map(({ buffer }) => Buffer.from(buffer)));
      if (filling) slabs.give([filling.slab]);
      held.length = 0;
      filling = undefined;
      void iterator.return?.();
    },
  };
}

function stalled(): AppError {
  return new AppError('bad_request', { errors: [{ path: '', message: 'the content stalled' }] }, { status: 408 });
}
