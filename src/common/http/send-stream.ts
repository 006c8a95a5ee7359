import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Codes with which `pipeline` says that the other side went away: while it ran, or before it took charge of anything. */
const GONE: ReadonlySet<unknown> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE']);

/**
 * Answers with all that `source` reads. Resolves when the client has it or has gone; the source is closed then, whatever
 * happened: a client may hang up before anything is sent.
 * @param head sets status and headers once it is known that there is something to send: a file that can't be read still
 *   gets an honest answer
 */
export async function sendStream(response: ServerResponse, source: Readable, head: () => void): Promise<void> {
  try {
    await once(source, 'readable');
    if (response.destroyed) return;
    head();
    await pipeline(source, response);
  } catch (error) {
    if (!GONE.has((error as NodeJS.ErrnoException | null)?.code)) throw error;
  } finally {
    source.destroy();
  }
}
