import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { VERSION } from './discovery.ts';
import type { DocumentUri } from './uri.ts';

/** Members of CheckFileInfo that this editor reads (reference/editor.md A2). */
export interface FileInfo {
  BaseFileName: string;
  Size?: number;
  OwnerId?: string;
  LastModifiedTime?: string;
  UserId?: string;
  UserFriendlyName?: string;
  UserExtraInfo?: unknown;
  UserCanWrite?: boolean;
  PostMessageOrigin?: string;
  [other: string]: unknown;
}

/** Headers of a PutFile. */
export interface PutAttributes {
  modifiedByUser: boolean;
  autosave: boolean;
  exit: boolean;
  /** As Action_Save gave it. */
  extendedData?: string | undefined;
  /** The last known LastModifiedTime; absent when nobody knows or the user forces the save. */
  timestamp?: string | undefined;
}

export type PutResult =
  | { kind: 'ok'; lastModifiedTime?: string }
  | { kind: 'unauthorized' | 'too_large' | 'conflict' | 'failed'; status?: number };

export interface WopiClient {
  /** The file's properties; undefined when they were refused, wrong or not to be had. */
  checkFileInfo(uri: DocumentUri): Promise<FileInfo | undefined>;
  getFile(uri: DocumentUri): Promise<Uint8Array | undefined>;
  /** Never rejects. */
  putFile(uri: DocumentUri, bytes: Uint8Array, attributes: PutAttributes, signal: AbortSignal): Promise<PutResult>;
}

/** Speaks to WOPI hosts as coolwsd does (A2, A3). */
export function createWopiClient({ serverId, timeoutMs }: { serverId: string; timeoutMs: number }): WopiClient {
  const headers = ({ access }: DocumentUri): OutgoingHttpHeaders => ({
    'User-Agent': `COOLWSD HTTP Agent ${VERSION}`,
    'X-COOL-WOPI-ServerId': serverId,
    ...(/^(1|true)$/.test(access.get('no_auth_header') ?? '')
      ? {}
      : { Authorization: `Bearer ${access.get('access_token') ?? ''}` }),
  });
  const get = (url: string, uri: DocumentUri): Promise<Answer | undefined> =>
    follow(url, { headers: headers(uri), timeoutMs }).catch(() => undefined);

  return {
    async checkFileInfo(uri) {
      const answer = await get(`${uri.wopiSrc}?${uri.access}`, uri);
      return answer?.status === 200 ? fileInfo(answer.body) : undefined;
    },
    async getFile(uri) {
      const answer = await get(`${uri.wopiSrc}/contents?${uri.access}`, uri);
      return answer?.status === 200 ? answer.body : undefined;
    },
    async putFile(uri, bytes, attributes, signal) {
      const answer = await exchange(`${uri.wopiSrc}/contents?${uri.access}`, {
        method: 'POST',
        headers: { ...headers(uri), ...putHeaders(attributes), 'Content-Length': bytes.length },
        body: bytes,
        timeoutMs,
        signal,
      }).catch(() => undefined);
      return answer ? putResult(answer) : { kind: 'failed' };
    },
  };
}

function putHeaders({ modifiedByUser, autosave, exit, extendedData, timestamp }: PutAttributes): OutgoingHttpHeaders {
  return {
    'X-WOPI-Override': 'PUT',
    'Content-Type': 'application/octet-stream',
    'X-COOL-WOPI-IsModifiedByUser': String(modifiedByUser),
    'X-COOL-WOPI-IsAutosave': String(autosave),
    'X-COOL-WOPI-IsExitSave': String(exit),
    ...(exit ? { Connection: 'close' } : {}),
    ...(extendedData === undefined ? {} : { 'X-COOL-WOPI-ExtendedData': extendedData }),
    ...(timestamp ? { 'X-COOL-WOPI-Timestamp': timestamp } : {}),
  };
}

function putResult({ status, body }: Answer): PutResult {
  if (status === 200) {
    const lastModifiedTime = json(body)?.['LastModifiedTime'];
    return { kind: 'ok', ...(typeof lastModifiedTime === 'string' ? { lastModifiedTime } : {}) };
  }
  if (status === 401 || status === 403 || status === 404) return { kind: 'unauthorized', status };
  if (status === 413) return { kind: 'too_large', status };
  if (status === 409) return { kind: 'conflict', status };
  return { kind: 'failed', status };
}

function fileInfo(body: Buffer): FileInfo | undefined {
  const info = json(body);
  const name = info?.['BaseFileName'];
  return typeof name === 'string' && name !== '' && !name.includes('/') ? (info as FileInfo) : undefined;
}

function json(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface Exchange {
  method?: string;
  headers: OutgoingHttpHeaders;
  body?: Uint8Array;
  timeoutMs: number;
  signal?: AbortSignal;
}

async function follow(url: string, options: Exchange, hops = 5): Promise<Answer> {
  const answer = await exchange(url, options);
  const { location } = answer.headers;
  if (![301, 302, 307, 308].includes(answer.status) || location === undefined || hops === 0) return answer;
  return follow(new URL(location, url).href, options, hops - 1);
}

async function exchange(url: string, { method = 'GET', headers, body, timeoutMs, signal }: Exchange) {
  const deadline = AbortSignal.timeout(timeoutMs);
  const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
    method,
    headers,
    agent: false,
    signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
  });
  const response = new Promise<Answer>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (incoming) => {
      buffer(incoming).then(
        (content) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: content }),
        reject,
      );
    });
  });
  request.end(body);
  return response;
}
