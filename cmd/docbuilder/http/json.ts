import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../../src/common/errors.ts';
import { watchIdle } from '../../../src/common/http/idle.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * A request's JSON body (UTF-8, at most 1 MiB).
 * @throws {AppError} `bad_request`
 */
export async function readJson(request: IncomingMessage, idleMs: number): Promise<unknown> {
  const bytes = await readBody(request, idleMs);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw badRequest({ path: '', message: 'the body is not valid JSON' });
  }
}

function readBody(request: IncomingMessage, idleMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (settle: () => void): void => {
      watch.stop();
      request.off('data', onData);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_BYTES) {
        done(() => reject(badRequest({ path: '', message: 'the JSON body is larger than 1 MiB' })));
      }
    };
    const watch = watchIdle(request, idleMs, (error) => done(() => reject(error)));
    request.on('data', onData);
    request.once('end', () => done(() => resolve(Buffer.concat(chunks))));
    request.once('error', (error) => done(() => reject(error)));
  });
}
