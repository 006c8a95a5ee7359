import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

/** What may wait for its turn, of one file. */
const LATE_BYTES = 16 * 1024 * 1024;
/** The same of all files together. */
const ALL_LATE_BYTES = 32 * 1024 * 1024;
const LATE_CHUNKS = 1024;
/** What is hashed at once, so that others get their turn: about half a millisecond. */
const SLICE_BYTES = 524_288;
/** So many turns of the event loop without a new chunk mean that the sender is slower than we are. */
const QUIET_TURNS = 2;

/** A SHA-256 of bytes that arrive in chunks, which are not copied. */
export interface LateHash {
  add(chunk: Uint8Array): void;
  /** The hash of everything, in hex. */
  digest(): Promise<string>;
  /** Lets go of everything. */
  drop(): void;
}

/** Bytes that may still come to wait, in all hashes that share it; never below zero between two calls. */
export interface LateRoom {
  left: number;
}

/** Room for so many bytes. */
export function createLateRoom(bytes: number = ALL_LATE_BYTES): LateRoom {
  return { left: bytes };
}

/**
 * Hashing takes as long as flushing. Here it waits, within limits, until nothing arrives any more: then it runs while
 * the disk works, or while the next bytes are on their way. Where there is no room to wait, it runs at once.
 */
export function createLateHash(room: LateRoom): LateHash {
  const hash = createHash('sha256');
  let late: Uint8Array[] = [];
  let lateBytes = 0;
  let arrived = 0;
  let seen = 0;
  let quiet = 0;
  let next: NodeJS.Immediate | undefined;

  function hashOne(): void {
    const chunk = late.shift();
    if (chunk === undefined) return;
    hash.update(chunk);
    lateBytes -= chunk.length;
    room.left += chunk.length;
  }

  function look(): void {
    quiet = arrived === seen ? quiet + 1 : 0;
    seen = arrived;
    if (quiet >= QUIET_TURNS) hashOne();
    next = late.length > 0 ? setImmediate(look) : undefined;
  }

  function drop(): void {
    if (next) clearImmediate(next);
    room.left += lateBytes;
    late = [];
    lateBytes = 0;
  }

  return {
    add(chunk) {
      late.push(chunk);
      lateBytes += chunk.length;
      room.left -= chunk.length;
      arrived += 1;
      while (room.left < 0 || lateBytes > LATE_BYTES || late.length > LATE_CHUNKS) hashOne();
      next ??= setImmediate(look);
    },
    async digest() {
      if (next) clearImmediate(next);
      while (late.length > 0) {
        const end = lateBytes - SLICE_BYTES;
        while (late.length > 0 && lateBytes > end) hashOne();
        await turn();
      }
      return hash.digest('hex');
    },
    drop,
  };
}
