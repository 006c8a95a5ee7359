import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../src/common/errors.ts';
import { startDeadline } from '../../../src/common/net/deadline.ts';
import { fetchFailed } from '../../../src/common/net/failure.ts';
import type { Outbound } from '../../../src/common/net/outbound.ts';
import { fitsFileType } from '../domain/content.ts';
import type { Downloader } from '../domain/ports.ts';
import { detectContent } from './content.ts';

/** For everything: the last byte of the largest document, and the look at what it is. */
const TIMEOUT_MS = 60_000;

interface Dependencies {
  outbound: Outbound;
  /** Folder for what is not known to be a document yet. */
  temporary: string;
}

/**
 * Downloads documents (contract: Outbound URL rules). Bytes that do not fit the extension are a `download_failed` with
 * `reason` content and what they are.
 */
export function createDownloader({ outbound, temporary }: Dependencies): Downloader {
  return {
    check: (url) => outbound.check(url),

    async download(url, { fileType, maxBytes, signal }, use) {
      const path = join(temporary, randomBytes(12).toString('hex'));
      const deadline = startDeadline(TIMEOUT_MS, () => fetchFailed('timeout'), signal);
      try {
        const options = { path, maxBytes, timeoutMs: TIMEOUT_MS, signal: deadline.signal };
        const { contentType } = await outbound.download(url, options);
        const found = await detectContent(path, { contentType, signal: deadline.signal });
        if (!fitsFileType(fileType, found)) {
          throw new AppError('download_failed', { reason: 'content', expected: fileType, found });
        }
        deadline.end();
        const content = createReadStream(path);
        try {
          return await use(content);
        } finally {
          content.destroy();
        }
      } finally {
        deadline.end();
        await rm(path, { force: true });
      }
    },
  };
}
