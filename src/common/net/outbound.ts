import { AppError } from '../errors.ts';
import type { AllowList } from './allow-list.ts';
import { withDeadline } from './deadline.ts';
import { type Downloaded, saveAnswer } from './download.ts';
import { exchange, getHeader, type IncomingResponse } from './exchange.ts';
import { fetchFailed, notAllowed } from './failure.ts';
import type { DenyList } from './outbound-settings.ts';
import { createLookup, type Lookup, parseTarget, resolveTarget } from './target.ts';

export type { Lookup } from './target.ts';

export interface DownloadOptions {
  /** Path of a new file. */
  path: string;
  maxBytes: number;
  /** Milliseconds for the whole download. */
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface PostOptions {
  headers: Record<string, string>;
  body: Uint8Array;
  /** Milliseconds until the status. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/**
 * Sends requests to URLs of callers (contract: Outbound URL rules). Errors have `detail.reason`, and `detail.status`
 * for a wrong status. After an abort they are the signal's reason.
 */
export type Outbound = ReturnType<typeof createOutbound>;

const late = () => fetchFailed('timeout');
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Bytes of an answer to a POST that are read, so that a receiver can finish a short one. */
const MAX_ANSWER = 65_536;

/**
 * @param options.userAgent such as `SVC-DocBuilder/1.0`
 * @param options.proxy for all hosts but the listed ones; names are still resolved and checked here
 */
export function createOutbound(options: {
  allow: AllowList;
  /** None unless given. */
  deny?: DenyList;
  lookup?: Lookup | undefined;
  userAgent: string;
  proxy?: URL | undefined;
}) {
  const { allow, deny = [], userAgent, proxy, lookup = createLookup() } = options;
  const resolve = (url: URL, signal?: AbortSignal) => resolveTarget(url, { allow, deny, lookup }, signal);
  const ownHeaders = { 'user-agent': userAgent, 'accept-encoding': 'identity' };

  return {
    /**
     * Checks a URL and the addresses of its host without connecting. Resolves also when the name has no address now, or
     * the resolver is slow: the request checks again.
     * @throws {AppError} url_not_allowed
     */
    async check(url: string): Promise<void> {
      try {
        await resolve(parseTarget(url));
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'download_failed')) throw error;
      }
    },

    /**
     * GETs a URL with status 200 into a new file, through at most 3 redirects.
     * @throws {AppError} url_not_allowed, download_failed, file_too_large; errors of the file system as they are
     */
    download: (text: string, { path, maxBytes, timeoutMs, signal: outer }: DownloadOptions): Promise<Downloaded> =>
      withDeadline(timeoutMs, late, outer, async (signal) => {
        let url = parseTarget(text);
        for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
          const request = { method: 'GET', headers: ownHeaders } as const;
          const read = async (response: IncomingResponse) => {
            const next = getRedirect(response, url);
            return next ? { next } : saveAnswer(response, url, { path, maxBytes }, signal);
          };
          const answer = await exchange(await resolve(url, signal), request, signal, read, proxy);
          if (!('next' in answer)) return answer;
          url = answer.next;
        }
        throw fetchFailed('redirects');
      }),

    /** POSTs to a URL, and returns any status. Follows no redirect. @throws {AppError} url_not_allowed, download_failed */
    post: (text: string, { headers, body, timeoutMs, signal: outer }: PostOptions): Promise<{ status: number }> =>
      withDeadline(timeoutMs, late, outer, async (signal) => {
        const target = await resolve(parseTarget(text), signal);
        const request = { method: 'POST', headers: { ...headers, ...ownHeaders }, body } as const;
        const read = async (response: IncomingResponse) => {
          // The status has come, so what happens to the rest is no failure.
          await response.body.dump({ limit: MAX_ANSWER, signal }).catch(() => {});
          return { status: response.statusCode };
        };
        return exchange(target, request, signal, read, proxy);
      }),
  };
}

/** Returns the URL of a redirect; undefined for other answers. */
function getRedirect(response: IncomingResponse, from: URL): URL | undefined {
  const location = getHeader(response, 'location');
  if (!REDIRECTS.has(response.statusCode) || location === undefined) return undefined;
  const next = parseTarget(location, from);
  if (from.protocol === 'https:' && next.protocol === 'http:') throw notAllowed('downgrade');
  return next;
}
