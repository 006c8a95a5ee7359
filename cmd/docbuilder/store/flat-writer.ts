import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inChunks } from './chunks.ts';
import { takingTurns } from './turns.ts';

/** What a file is made of: pieces that may be made while they are asked for, and what stands around them. */
export interface Pieces {
  body: Iterable<string>;
  /** Asked for once the body was gone through. */
  head(): string;
  tail: string;
}

/** Writes a file whose head is known only when its body is. Others get their turn between two pieces. */
export async function writePieces({ body, head, tail }: Pieces, path: string, signal: AbortSignal): Promise<void> {
  const made: string[] = [];
  const turn = takingTurns(signal);
  for (const piece of body) {
    made.push(piece);
    const others = turn();
    if (others) await others;
  }
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await pipeline(Readable.from(inChunks([head()], made, [tail])), file, { signal });
}
