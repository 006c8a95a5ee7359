import { setTimeout as delay } from 'node:timers/promises';
import type { EmbedSession } from '../../../../src/common/generated/wire.ts';
import type { EditorClient } from '../../../editor/client.ts';
import type { Sessions } from '../../../support/sessions.ts';
import { download, readLines } from '../../../support/stack-steps.ts';
import { until } from '../../../support/until.ts';

const WITHIN_MS = 120_000;
/** A save that a kill has cut off is never confirmed. */
const SAVED_MS = 4_000;

/**
 * A person who writes a line, saves, and writes the next one, without end; who opens the document again when cut off.
 * @param key of the document
 */
export function startWriter(sessions: Sessions, key: string) {
  const confirmed: string[] = [];
  let stopping = false;
  const written = write();

  async function write(): Promise<void> {
    let open: { session: EmbedSession; client: EditorClient } | undefined;
    let problem: unknown;
    for (let number = 1; !stopping; number += 1) {
      try {
        open ??= await reopen();
        const line = `${key} ${number}`;
        await open.client.addLine(line);
        await within(SAVED_MS, sessions.save(open.session, open.client));
        confirmed.push(line);
      } catch (error) {
        problem = error;
        await open?.client.leave().catch(() => undefined);
        open = undefined;
        await delay(100);
      }
    }
    await open?.client.leave();
    if (confirmed.length === 0) throw problem;
  }

  async function reopen() {
    const session = await sessions.create({ key });
    return { session, client: await sessions.open(session) };
  }

  return {
    /** Resolves once another save has been confirmed. */
    async more() {
      const before = confirmed.length;
      await until('another save', () => confirmed.length > before, WITHIN_MS);
    },
    /** Ends, and looks whether the document has all lines whose save was confirmed. */
    async stop() {
      stopping = true;
      await written;
      const { download_url } = await sessions.state(await sessions.create({ key, mode: 'view' }));
      const stored = new Set(readLines(await download(download_url)));
      const lost = confirmed.filter((line) => !stored.has(line));
      if (lost.length > 0) throw new Error(`confirmed, and lost: ${lost.join(', ')}`);
    },
  };
}

/** Rejects if it takes longer. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return Promise.race([
    work,
    delay(ms, undefined, { ref: false }).then(() => Promise.reject(new Error('not in time'))),
  ]);
}
