import { setTimeout as delay } from 'node:timers/promises';
import type { Sessions } from '../../../support/sessions.ts';
import { type InstanceHandle, serviceLogs } from './instance.ts';

/** Enough for an error object. */
const TEXT_LENGTH = 400;

export interface Asked {
  path?: string;
  pauseMs?: number;
  /** Status of the right answer. */
  status?: number;
  /** An answer that takes longer is none. */
  withinMs?: number;
  /** Makes it a POST. */
  body?: () => FormData;
}

/**
 * Asks again and again.
 * @returns what ends it, and gives all that was not answered as it should be: request, time, answer, and what pods have
 * logged of it
 */
export function askAgain(
  { sessions, apiKey, handle }: { sessions: Sessions; apiKey?: string; handle: InstanceHandle },
  { path = '/svc/status', pauseMs = 25, status = 200, withinMs = 120_000, body }: Asked = {},
): () => Promise<string[]> {
  const failures: Promise<string>[] = [];
  let ended = false;
  const asking = (async () => {
    while (!ended) {
      const asked = new Date();
      // A kept connection may be closed just when it is used again: an edge asks again then.
      const headers = { ...(apiKey && { Authorization: `Bearer ${apiKey}` }), Connection: 'close' };
      const init = { headers, signal: AbortSignal.timeout(withinMs), ...(body && { method: 'POST', body: body() }) };
      const wrong = await sessions.call(path, init).then(
        async (response) => {
          const text = await response.text();
          return response.status === status ? '' : `${response.status} ${text.slice(0, TEXT_LENGTH)}`;
        },
        ({ message, cause }: Error) => `${message} ${cause ?? ''}`,
      );
      if (wrong !== '') failures.push(described(handle, { method: body ? 'POST' : 'GET', path, asked, wrong }));
      await delay(pauseMs);
    }
  })();
  return async () => {
    ended = true;
    await asking;
    return Promise.all(failures);
  };
}

interface Failure {
  method: string;
  path: string;
  asked: Date;
  wrong: string;
}

/** Looks at once: a pod that goes takes its log with it. */
async function described(handle: InstanceHandle, { method, path, asked, wrong }: Failure): Promise<string> {
  const ms = Date.now() - asked.getTime();
  const [plain = ''] = path.split('?');
  const logs = await handle.kubectl(...serviceLogs(Math.ceil(ms / 1000) + 5)).catch(String);
  const id = /req_[0-9a-f]{16}/.exec(wrong)?.[0];
  const details = logs.split('\n').filter((line) => line.includes(id ?? `"path":"${plain}","status":4`));
  return [`${asked.toISOString()} ${method} ${plain}: ${wrong} after ${ms} ms`, ...details].join('\n  ');
}
