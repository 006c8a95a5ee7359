import type { Outbound } from '../../../src/common/net/outbound.ts';
import { JobQueue } from '../jobs/queue.ts';
import type { Downloader, Scratch } from './sources.ts';

const TIMEOUT_MS = 60_000;
/** A thousand queued jobs must not become a thousand downloads at once. */
const PARALLEL = 8;

/** Fetches sources into temporary files, through the outbound door, a few at a time. */
export function createDownloader(outbound: Outbound, scratch: Scratch): Downloader {
  const turns = new JobQueue(() => ({ parallel: PARALLEL, capacity: Number.POSITIVE_INFINITY }));
  return {
    check: (url) => outbound.check(url),
    download: (url, maxBytes, signal) =>
      turns.reserve().run(
        async () => {
          const path = scratch.newPath();
          const { filename } = await outbound.download(url, { path, maxBytes, timeoutMs: TIMEOUT_MS, signal });
          return { path, filename };
        },
        { signal },
      ),
  };
}
