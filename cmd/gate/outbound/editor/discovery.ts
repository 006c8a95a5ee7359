import type { Dispatcher } from 'undici';
import { apart, type Clock } from '../../../../src/common/clock.ts';
import { editPages } from '../../../../src/common/editor/discovery-xml.ts';
import { fetchText } from '../../../../src/common/editor/fetch-text.ts';
import { AppError } from '../../../../src/common/errors.ts';
import type { Logger } from '../../../../src/common/log.ts';

const FRESH_MS = 5 * 60_000;
/** The time that the last copy serves when a newer one can't be had: a busy editor is no reason to turn people away. */
const STALE_MS = 2 * FRESH_MS;
/** Between two attempts while the last one failed. */
const RETRY_MS = 1_000;
const MAX_BYTES = 2 * 1024 * 1024;

export type Discovery = ReturnType<typeof createDiscovery>;

/**
 * Reads the editor’s discovery document when needed and keeps it for five minutes, ten while it cannot be read again
 * (contract: Discovery). @param options.url SVC_ONLINE_URL, without a slash at its end
 */
export function createDiscovery(options: {
  url: string;
  agent: Dispatcher;
  /** SVC_BASE_URL. */
  baseUrl?: string | undefined;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}) {
  const { url, agent, clock, log } = options;
  const checkOrigins = createOriginCheck(options.baseUrl, log);
  let copy: { readAt: number; pages: ReadonlyMap<string, string> } | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let generation = 0;

  async function read(): Promise<void> {
    const mine = generation;
    try {
      const { status, text } = await fetchText(`${url}/hosting/discovery`, { agent, maxBytes: MAX_BYTES });
      if (status !== 200) throw new Error(`the editor server answered ${status}`);
      const { pages, origins } = editPages(text);
      checkOrigins([...origins]);
      // An answer that was on its way when the editor went down may be the old editor's.
      if (mine === generation) copy = { readAt: clock(), pages };
    } catch (error) {
      if (mine === generation) failedAt = clock();
      log.warn({ err: error }, 'discovery could not be read');
    }
  }

  async function refresh(): Promise<void> {
    const isDue = () => age() >= FRESH_MS && apart(clock(), failedAt) >= RETRY_MS;
    // What was forgotten meanwhile is read again.
    for (let asked: number | undefined; asked !== generation && isDue(); ) {
      asked = generation;
      reading ??= read();
      const mine = reading;
      await mine;
      if (reading === mine) reading = undefined;
    }
  }

  const age = (): number => (copy ? apart(clock(), copy.readAt) : Number.POSITIVE_INFINITY);

  return {
    /** See `EditorServer`. */
    async page(fileType: string): Promise<string> {
      await refresh();
      if (!copy || age() >= STALE_MS) throw new AppError('editor_unavailable');
      const page = copy.pages.get(fileType.toLowerCase());
      if (page === undefined) throw new AppError('unsupported_file_type', { fileType });
      return page;
    },
    /** Reads it in the background if it is due, which logs when it cannot be read, or names another address. */
    check: () => void refresh(),
    /** Forgets everything read: the editor may be another version now, whose pages are elsewhere. */
    forget() {
      copy = undefined;
      failedAt = Number.NEGATIVE_INFINITY;
      reading = undefined;
      generation += 1;
    },
  };
}

/** Returns a function that warns, once for each change, that pages are at other addresses than the service. */
function createOriginCheck(baseUrl: string | undefined, log: Pick<Logger, 'warn'>): (origins: string[]) => void {
  const expected = baseUrl && new URL(baseUrl).origin;
  let reported = '';
  return (origins) => {
    const foreign = expected ? origins.filter((origin) => origin !== expected) : [];
    if (foreign.join() === reported) return;
    reported = foreign.join();
    if (reported !== '')
      log.warn(
        { base_url: baseUrl, discovery: foreign },
        'discovery names another address than SVC_BASE_URL, where pages find no editor: its server_name and ssl.termination must be those of SVC_BASE_URL',
      );
  };
}
