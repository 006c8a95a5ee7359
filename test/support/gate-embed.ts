import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { createConfigCheck } from '../../cmd/gate/domain/config-check.ts';
import { Counting } from '../../cmd/gate/domain/counting.ts';
import { createDocuments } from '../../cmd/gate/domain/documents.ts';
import { createLinks } from '../../cmd/gate/domain/links.ts';
import type { EditorServer } from '../../cmd/gate/domain/ports.ts';
import type { Presence } from '../../cmd/gate/domain/presence.ts';
import { Sessions } from '../../cmd/gate/domain/sessions.ts';
import { Uploads } from '../../cmd/gate/domain/uploads.ts';
import { cors } from '../../cmd/gate/http/cors.ts';
import { embedRoutes } from '../../cmd/gate/http/embed.ts';
import { createDownloader } from '../../cmd/gate/outbound/downloader.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import type { AuditEvent } from '../../src/common/audit.ts';
import { AppError, MB } from '../../src/common/errors.ts';
import type { EmbedSession, EmbedUser, ErrorResponse } from '../../src/common/generated/wire.ts';
import { errorHandler, notFound } from '../../src/common/http/errors.ts';
import { refuseOddTargets } from '../../src/common/http/plain-app.ts';
import { createHttpServer } from '../../src/common/http/server.ts';
import { startCanary } from './canary.ts';
import { openTestData } from './gate-data.ts';
import { hmac, jws } from './jws.ts';
import { listeningPort } from './listen.ts';
import { secret, testLogger } from './logs.ts';
import { openDoor } from './outbound.ts';

export const EMBED_SECRET = secret('embed-secret-of-thirty-two-and-more-characters');
export const PORTAL_ORIGIN = 'https://portal.example.com';
const NOW = Date.parse('2026-11-21T12:00:00Z');
const RETAIN_HOURS = 24;

/** In the place of the editor's discovery and list. */
export interface StandInEditor extends Pick<EditorServer, 'page'>, Pick<Presence, 'users' | 'modified' | 'lists'> {
  available: boolean;
  present: EmbedUser[];
  /** Ids of sessions with a view. */
  listed: string[];
  changed: boolean;
}

interface EmbedOptions {
  enabled?: boolean;
  jwtSecrets?: string[];
  allowUnsigned?: boolean;
  allowedOrigins?: string[];
  /** DNS: the answers of each call in turn, the last one for ever. */
  names?: Record<string, string[][]>;
}

export type TestEmbed = Awaited<ReturnType<typeof startEmbed>>;

/** The embedding part of the gate, with real HTTP, rows, blobs, places and outbound door; the editor is a stand-in. */
export async function startEmbed(options: EmbedOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-embed-'));
  const docx = ooxml('docx');
  let answer: RequestListener = (_request, response) => void response.end(docx);
  const portal = await startCanary((request, response) => answer(request, response));
  const clock = { now: NOW };
  const audited: { event: AuditEvent; facts: Record<string, unknown> }[] = [];
  const audit = {
    record: (event: AuditEvent, facts = {}) => void audited.push({ event, facts }),
    close: async () => {},
  };

  const { rows, blobs, incoming, temporary, close } = await openTestData(folder);
  const { door } = openDoor(`127.0.0.1:${portal.port}`, options.names);
  const downloader = createDownloader({ outbound: door, temporary });
  const links = createLinks({
    secret: secret('link-secret-of-the-tests'),
    hours: RETAIN_HOURS,
    clock: () => clock.now,
  });
  const shared = { rows, downloader, clock: () => clock.now, audit };
  const uploads = new Uploads({ rows, blobs, incoming, clock: () => clock.now, log: testLogger() });
  const documents = createDocuments({
    ...shared,
    uploads,
    maxBytes: MB,
  });
  const editor = standInEditor();
  const counting = new Counting({ limit: () => cap.limit, clock: () => clock.now });
  counting.observe({ at: clock.now, views: [], documents: 0, modified: [] });
  const cap = { limit: 50, taken: () => counting.figures().pending };
  const sessions = new Sessions({
    ...shared,
    documents,
    places: { use: (work) => work(counting) },
    editor,
    presence: editor,
    links,
    wopiUrl: 'http://gate:8081',
    ttlMinutes: 720,
  });

  const allowedOrigins = options.allowedOrigins ?? [PORTAL_ORIGIN];
  const app = express();
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.use(cors({ allowedOrigins }), refuseOddTargets);
  const checkConfig = createConfigCheck({
    jwtSecrets: options.jwtSecrets ?? [],
    allowUnsigned: options.allowUnsigned ?? true,
    clock: () => clock.now,
  });
  const { enabled = true } = options;
  const handlers = { enabled, allowedOrigins, checkConfig, sessions, links, rows, blobs, baseUrl: undefined, audit };
  app.use('/svc/embed', embedRoutes(handlers));
  app.use(notFound, errorHandler(testLogger()));
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${await listeningPort(server)}`;

  const call = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
  /** POST /svc/embed/session with any body. */
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    call('/svc/embed/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  /** A configuration of a docx at the portal. */
  const config = (changes: { document?: object; editor?: object; ui?: object } = {}): Record<string, unknown> => ({
    document: { url: `http://127.0.0.1:${portal.port}/a.docx`, fileType: 'docx', key: 'key-1', ...changes.document },
    editor: { user: { id: 'u1', name: 'Nguyễn Văn An' }, ...changes.editor },
    ...(changes.ui && { ui: changes.ui }),
  });
  return {
    ...{ url, rows, blobs, links, editor, portal, clock, audited, config, call, post },
    /** The editing connections in force, and how many are taken. */
    cap,
    /** Says what the portal answers. */
    serve: (next: RequestListener) => {
      answer = next;
    },
    /** A session that must come about. */
    create: async (wanted: unknown = config()): Promise<EmbedSession> => {
      const response = await post(wanted);
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      const session = (await response.json()) as EmbedSession;
      secret(session.form.access_token);
      return session;
    },
    /** A request of a session. */
    ask: (session: EmbedSession, path = '', init: RequestInit = {}) =>
      call(`/svc/embed/session/${session.session_id}${path}`, {
        ...init,
        headers: { Authorization: `Bearer ${session.form.access_token}`, ...init.headers },
      }),
    /** Returns the files that are left in the folder for downloads. */
    temporaries: () => readdir(temporary),
    stop: async () => {
      documents.stop();
      uploads.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await portal.close();
      await close();
      await rm(folder, { recursive: true });
    },
  };
}

function standInEditor(): StandInEditor {
  return {
    available: true,
    present: [],
    listed: [],
    changed: false,
    async page() {
      if (!(this as StandInEditor).available) throw new AppError('editor_unavailable');
      return '/browser/a1b2c3/cool.html?';
    },
    users() {
      return (this as StandInEditor).present;
    },
    lists({ sessionId }) {
      return (this as StandInEditor).listed.includes(sessionId);
    },
    modified() {
      return (this as StandInEditor).changed;
    },
  };
}

/** A configuration as a token, valid for an hour. */
export function signed(payload: object, claims: object = {}, key: string = EMBED_SECRET): string {
  const exp = Math.floor(NOW / 1000) + 3600;
  return jws({ alg: 'HS256', typ: 'JWT' }, { exp, ...payload, ...claims }, hmac(256, key));
}

export async function readError(response: Response): Promise<ErrorResponse['error'] & { status: number }> {
  const { error } = (await response.json()) as ErrorResponse;
  return { ...error, status: response.status };
}

export function randomKey(): string {
  return randomBytes(8).toString('hex');
}
