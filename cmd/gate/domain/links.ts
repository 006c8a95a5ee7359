import { createHmac } from 'node:crypto';
import type { Clock } from '../../../src/common/clock.ts';
import { equalStrings } from '../../../src/common/crypto/equal.ts';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import type { RowsReader } from './ports.ts';

export interface LinkOptions {
  secret: string | Uint8Array;
  /** The time that a link is good for (`SVC_EMBED_RETAIN_HOURS`). */
  hours: number;
  clock: Clock;
}

/** Signed download links (contract: GET /svc/embed/files/{doc_id}). */
export type Links = ReturnType<typeof createLinks>;

const FILES = '/svc/embed/files/';
/** One way to write a number, so that one link has one signature. */
const WHOLE_NUMBER = /^(0|[1-9]\d{0,14})$/;

export function createLinks({ secret, hours, clock }: LinkOptions) {
  const signature = (docId: string, version: number, exp: number): string =>
    createHmac('sha256', secret).update(`${docId}.${version}.${exp}`).digest('hex');

  /**
   * Returns the link of a version.
   * @param until epoch milliseconds of its end; by default `hours` from now
   */
  function sign(baseUrl: string, docId: string, version: number, until = clock() + hours * 3_600_000): string {
    const exp = Math.floor(until / 1000);
    return `${baseUrl}${FILES}${docId}?v=${version}&exp=${exp}&sig=${signature(docId, version, exp)}`;
  }

  return {
    sign,
    /** Returns the link of a version, at the same place, with its whole time before it. */
    renew: (link: string, docId: string, version: number): string =>
      sign(link.slice(0, link.lastIndexOf(FILES)), docId, version),
    /**
     * Returns the version of a link from its query. @throws {AppError} `bad_request`, `invalid_signature`,
     * `link_expired`
     */
    verify(docId: string, { v, exp, sig }: { v?: unknown; exp?: unknown; sig?: unknown }): number {
      const [version, expiry] = [wholeNumber('v', v), wholeNumber('exp', exp)];
      if (typeof sig !== 'string') throw badRequest({ path: 'sig', message: 'bắt buộc phải có, đúng một lần' });
      // Checked before the time: only those who hold a valid link learn whether it has expired.
      if (!equalStrings(sig, signature(docId, version, expiry))) throw new AppError('invalid_signature');
      if (clock() >= expiry * 1000) throw new AppError('link_expired');
      return version;
    },
  };
}

/** Finds the version of a link. @throws {AppError} `version_gone`, `not_found` */
export async function findLinked(tx: RowsReader, docId: string, number: number) {
  const document = await tx.document(docId);
  if (!document || number > document.version) throw new AppError('not_found');
  const version = await tx.version(docId, number);
  if (!version) throw new AppError('version_gone', { version: number, current: document.version });
  return { document, version };
}

function wholeNumber(path: string, text: unknown): number {
  if (typeof text !== 'string' || !WHOLE_NUMBER.test(text)) {
    throw badRequest({ path, message: 'phải là số nguyên, đúng một lần' });
  }
  return Number(text);
}
