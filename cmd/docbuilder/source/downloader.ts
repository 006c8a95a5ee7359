import { createPool } from 'generic-pool';
import { unlessAborted } from '../../../src/common/net/deadline.ts';
import type { Outbound } from '../../../src/common/net/outbound.ts';

const TIMEOUT_MS = 60_000;
const PARALLEL = 8;

interface Downloaded {
  path: string;
  filename?: string | undefined;
}

/** Downloads sources by the outbound URL rules. */
export interface Downloader {
  /** Checks a URL without connecting. @throws {AppError} `url_not_allowed` */
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
