import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import express from 'express';
import { Cleaning } from '../../cmd/gate/domain/cleaning.ts';
import { Closing } from '../../cmd/gate/domain/closing.ts';
import { createLinks } from '../../cmd/gate/domain/links.ts';
import type { DocumentRecord, SessionRecord } from '../../cmd/gate/domain/model.ts';
import { Outbox } from '../../cmd/gate/domain/outbox.ts';
import type { Blobs, CallbackPoster, EditorSample, Incoming, Rows } from '../../cmd/gate/domain/ports.ts';
import type { SaveFacts } from '../../cmd/gate/domain/save-transaction.ts';
import { Saves, type SavesDependencies } from '../../cmd/gate/domain/saves.ts';
import { hashToken } from '../../cmd/gate/domain/session-token.ts';
import { UnsavedEdits, type UnsavedTimings } from '../../cmd/gate/domain/unsaved.ts';
import { Uploads } from '../../cmd/gate/domain/uploads.ts';
import { createWopiAccess } from '../../cmd/gate/domain/wopi-access.ts';
import { createWopiSrcReader } from '../../cmd/gate/domain/wopi-src.ts';
import { getHealthz } from '../../cmd/gate/http/figures.ts';
import { quarantineRoutes } from '../../cmd/gate/http/quarantine.ts';
import { wopiRoutes } from '../../cmd/gate/http/wopi.ts';
import { createAudit } from '../../src/common/audit.ts';
import type { Environment } from '../../src/common/config.ts';
import { errorHandler } from '../../src/common/http/errors.ts';
import { createHttpServer } from '../../src/common/http/server.ts';
import { openTestData } from './gate-data.ts';
import { bringTo, documentRecord, sessionRecord, versionRecord } from './gate-records.ts';
import { listeningPort } from './listen.ts';
import { secret, testLogger } from './logs.ts';

export const MB = 1024 * 1024;
export const TOKEN: string = secret(`${'A'.repeat(42)}b`);
export const ORIGINAL = Buffer.from('the original');

export type SavesBench = Awaited<ReturnType<typeof savesBench>>;

type Parts = { rows: Rows; blobs: Blobs; incoming: Incoming };

export interface BenchOptions extends Partial<Pick<SavesDependencies, 'timings' | 'maxBytes'>> {
  folder?: string;
  /** Names the store of the folder; by default that of the tests. */
  environment?: Environment;
  poster?: CallbackPoster;
  schedule?: readonly number[];
  retainHours?: number;
  quarantine?: Partial<UnsavedTimings>;
  /** Returns whether the bench is the gate that closes. */
  leads?: () => boolean;
  /** Puts something between the pieces and the disk. */
  wrap?: (parts: Parts) => Partial<Parts>;
  clock?: () => number;
}

/** The editor's headers with a save that a person made, which may replace any version. */
export const FACTS: SaveFacts = {
  ...{ timestamp: undefined, autosave: false, final: false, modifiedByUser: true, nonce: null },
};

/** The real pieces that take saves, in a data folder of their own, under a clock that only tests move. */
export async function savesBench(options: BenchOptions = {}) {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'svc-saves-')));
  const dataDir = await openTestData(folder, options.environment);
  const { rows, blobs, incoming } = { ...dataDir, ...options.wrap?.(dataDir) };
  let time = Date.UTC(2026, 8, 21);
  const clock = options.clock ?? (() => time);
  const log = testLogger();
  const audit = createAudit('gate', 'off', log);
  const uploads = new Uploads({ rows, blobs, incoming, clock, log });
  let last: EditorSample | undefined;
  const users = () => [{ id: 'u1', name: 'Lan' }];
  /** Sessions that the editor has listed of late. */
  const listed = new Set<string>();
  const { retainHours = 24, maxBytes = MB, timings = {}, poster = { post: async () => 200 } } = options;
  const isSaving: Saves['isSaving'] = (docId, tx) => saves.isSaving(docId, tx);
  const common = {
    ...{ rows, blobs, uploads, clock, log, audit, isSaving, maxBytes },
    links: createLinks({ secret: 'of the links', hours: retainHours, clock }),
    presence: {
      users,
      sampledAt: () => null,
      hasLeft: (sessionId: string) => !listed.has(sessionId),
      hasViews: (docId: string) => last?.views.some((view) => view.docId === docId) ?? false,
    },
    onDelivery: () => outbox.wake(),
  };
  const outbox = new Outbox({ ...common, poster, schedule: options.schedule });
  outbox.start();
  const saves = new Saves({ ...common, timings });
  const closing = new Closing({ ...common, leads: options.leads });
  const unsaved = new UnsavedEdits({ ...common, saves, timings: { grace: 0, margin: 100, ...options.quarantine } });
  const cleaning = new Cleaning({ ...common, retainHours });
  type View = Parameters<typeof createSample>[1][number];
  /** A sample of the editor, taken in: who has which document open. */
  const sample = async (...views: View[]): Promise<void> => {
    last = createSample(clock(), views);
    for (const { userId } of last.views) listed.add(userId);
    await saves.unresolved.observe(last);
    closing.observe(last);
    await closing.stop();
  };
  const bring = (content: string | Buffer) => bringTo(dataDir, content);
  return {
    ...{ folder, rows, blobs, incoming, saves, outbox, closing, cleaning, unsaved, sample, listed },
    /** Saves content in the name of a session. */
    save: (session: SessionRecord, content: Readable, facts: SaveFacts, gone?: AbortSignal) =>
      saves.save(session.docId, { admit: async () => session, open: () => content }, facts, gone),
    /** Receives content and puts it in its place. */
    bring,
    /** Returns the names of the bytes in the store. */
    stored: dataDir.stored,
    /** Returns whether a save of a document is under way or unresolved. */
    isSaving: (docId: string) => rows.read((tx) => saves.isSaving(docId, tx)),
    now: clock,
    /** Moves the clock on. */
    pass: (ms: number) => {
      time += ms;
    },
    /** A sample now and one after each 10 s, `count` times, without a view. */
    samples: async (count: number) => {
      await sample();
      for (let n = 0; n < count; n += 1) {
        time += 10_000;
        await sample();
      }
    },
    /** A document with an original, and a session in it with a token. */
    open: async (document: Partial<DocumentRecord> = {}, session: Partial<SessionRecord> = {}, token = TOKEN) => {
      const original = await bring(ORIGINAL);
      const made = documentRecord({ createdAt: clock(), lastViewAt: clock(), ...document });
      const { docId } = made;
      const entered = sessionRecord({
        ...{ docId, sessionId: `ses_${docId}`, tokenHash: hashToken(token) },
        ...{ createdAt: clock(), expiresAt: clock() + 720 * 60_000, ...session },
      });
      await rows.transact(async (tx) => {
        await tx.putDocument(made);
        await tx.putVersion(versionRecord({ docId, ...original, savedAt: clock() }));
        await tx.putSession(entered);
      });
      return entered;
    },
    stop: async ({ keep } = { keep: false }) => {
      cleaning.stop();
      await outbox.stop();
      uploads.stop();
      await dataDir.close();
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A sample of the editor: who has which document open. */
export function createSample(at: number, views: { docId: string; userId?: string }[]): EditorSample {
  return {
    at,
    views: views.map(({ docId, userId = 'ses_x' }, index) => ({
      docId,
      wopiSrc: `http://gate/svc/wopi/files/${docId}`,
      userId,
      viewId: String(index),
      readonly: false,
    })),
    documents: views.length,
    modified: [],
  };
}

/** The editor's admin, who may ask about its quarantine. */
export const ADMIN = { user: 'admin', password: secret('password of the admin') };
/** Where the editor finds the WOPI host. */
export const WOPI_URL = 'http://gate:8081';
const readWopiSrc = createWopiSrcReader(WOPI_URL);

/** The WOPI side of a bench, and what its quarantine asks, on a port of its own. */
export async function serveWopi(bench: SavesBench, maxBytes = MB): Promise<{ url: string; server: Server }> {
  const log = testLogger();
  const app = express();
  const access = createWopiAccess({ rows: bench.rows, clock: bench.now, log });
  const { blobs, saves } = bench;
  app.use('/svc/wopi', wopiRoutes({ access, blobs, saves, maxBytes }));
  app.get('/svc/healthz', getHealthz());
  app.use('/svc/quarantine', quarantineRoutes({ unsaved: bench.unsaved, readWopiSrc, admin: ADMIN }));
  app.use(errorHandler(log));
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  return { url: `http://127.0.0.1:${await listeningPort(server)}/svc/wopi/files`, server };
}

/** The headers of a PutFile, as the editor sends them (reference: PutFile). */
export function putHeaders(changes: Record<string, string | undefined> = {}, token = TOKEN): Record<string, string> {
  const headers = {
    'X-WOPI-Override': 'PUT',
    'Content-Type': 'application/octet-stream',
    'X-COOL-WOPI-IsModifiedByUser': 'true',
    'X-COOL-WOPI-IsAutosave': 'false',
    'X-COOL-WOPI-IsExitSave': 'false',
    'X-COOL-WOPI-ServerId': 'c0ffee',
    'User-Agent': 'COOLWSD HTTP Agent 25.04.9.4',
    Authorization: `Bearer ${token}`,
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Opens a PutFile of a document that declares `length` bytes, of which `content` is sent. */
export async function beginPut(url: string, content: string | Buffer, length: number, lines: string[] = []) {
  const { hostname, port, pathname } = new URL(`${url}/doc_a/contents`);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const headers = Object.entries(putHeaders()).map(([name, value]) => `${name}: ${value}`);
  const head = [`POST ${pathname} HTTP/1.1`, 'Host: gate', ...headers, `Content-Length: ${length}`, ...lines];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(content);
  return socket;
}
