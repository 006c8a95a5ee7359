import { createPool } from 'generic-pool';
import { unlessAborted } from '../../../src/common/net/deadline.ts';
import type { Outbound } from '../../../src/common/net/outbound.ts';

const TIMEOUT_MS = 60_000;
/** A thousand queued jobs must not become a thousand downloads at once. */
const PARALLEL = 8;

interface Downloaded {
  path: string;
  filename?: string | undefined;
}

/** Fetches sources through the outbound door. */
export interface Downloader {
  /** Checks that the rules allow the address, without connecting. @throws {AppError} `url_not_allowed` */
  check(url: string): Promise<void>;
  /** Creates a file at `path`. @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large` */
  download(url: string, path: string, maxBytes: number, signal: AbortSignal): Promise<Downloaded>;
}

export function createDownloader(outbound: Outbound): Downloader {
  const slots = createPool({ create: async () => ({}), destroy: async () => undefined }, { max: PARALLEL });
  return {
    check: (url) => outbound.check(url),
    download(url, path, maxBytes, signal) {
      const downloaded = slots.use(async () => {
        signal.throwIfAborted();
        const { filename } = await outbound.download(url, { path, maxBytes, timeoutMs: TIMEOUT_MS, signal });
        return { path, filename };
      });
      return unlessAborted(downloaded, signal);
    },
  };
}
