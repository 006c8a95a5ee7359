import type { Outbound } from '../../../src/common/net/outbound.ts';
import type { Downloader, Scratch } from '../domain/convert.ts';

const TIMEOUT_MS = 60_000;

/** Fetches sources into temporary files, through the outbound door. */
export function createDownloader(outbound: Outbound, scratch: Scratch): Downloader {
  return {
    download: async (url, maxBytes, signal) => {
      const path = scratch.newPath();
      const { filename } = await outbound.download(url, { path, maxBytes, timeoutMs: TIMEOUT_MS, signal });
      return { path, filename };
    },
  };
}
