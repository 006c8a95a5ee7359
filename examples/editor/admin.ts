import type { IncomingMessage, ServerResponse } from 'node:http';
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import type { WebSocket } from 'ws';
import { equalStrings } from '../../src/common/crypto/equal.ts';
import { VERSION } from './discovery.ts';
import { send } from './http.ts';
import type { EditorOptions, Faults } from './options.ts';

/** A document as the admin channel lists it. */
export interface ListedDocument {
  pid: number;
  wopiSrc: string;
  fileName: string;
  /** KiB. */
  memory: number;
  /** Epoch milliseconds. */
  openedAt: number;
  lastActivity: number;
  modified: boolean;
  uploaded: boolean;
  views: { sessionId: string; userId: string; userName: string; readonly: boolean }[];
}

export interface AdminDeps {
  options: Pick<EditorOptions, 'admin' | 'adminCookie'>;
  faults: Faults;
  documents(): ListedDocument[];
  kill(pid: number): void;
}

const EXPIRY_SECONDS = 1800;
const PHANTOM_PID = 900_000;

/** The admin console: its page, its figures and its channel (reference/editor.md A5). */
export function createAdmin(deps: AdminDeps) {
  const { options, faults } = deps;
  // Made anew by each process: a token of the one before is worth nothing.
  const keys = generateKeyPair('RS256');
  const startedAt = Date.now();
  const subscribers = new Map<WebSocket, Set<string>>();

  const token = async (): Promise<string> =>
    new SignJWT({ 'client.name': 'admin' })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setExpirationTime(`${EXPIRY_SECONDS}s`)
      .sign((await keys).privateKey);
  const valid = async (jwt: string): Promise<boolean> =>
    jwtVerify(jwt, (await keys).publicKey).then(
      () => true,
      () => false,
    );

  /** Answers 401 (or 403 where there is no console) and returns false, or returns true. */
  async function authorized(request: IncomingMessage, response: ServerResponse, off: number): Promise<boolean> {
    if (!options.admin) {
      send(response, off);
      return false;
    }
    const { user, password } = options.admin;
    const cookie = /(?:^|;\s*)jwt=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
    const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const credentials = Buffer.from(basic ?? '', 'base64').toString('utf8');
    const known = user !== '' && password !== '' && equalStrings(credentials, `${user}:${password}`);
    if (known || (cookie !== undefined && (await valid(cookie)))) return true;
    send(response, 401, { 'WWW-authenticate': 'Basic realm="online"' });
    return false;
  }

  function listing(): ListedDocument[] {
    const documents = deps.documents();
    for (const [index, { wopiSrc, ...view }] of faults.ghosts.entries()) {
      const ghost = { ...view, sessionId: `f${index.toString(16)}` };
      const home = documents.find((document) => document.wopiSrc === wopiSrc);
      if (home) home.views.push(ghost);
      else documents.push({ ...phantom(index, wopiSrc), views: [ghost] });
    }
    return documents;
  }

  function reply(command: string): string | undefined {
    const documents = listing();
    switch (command) {
      case 'documents':
        return `documents ${faults.admin === 'broken' ? '{"documents":[{' : documentsReply(documents)}`;
      case 'active_docs_count':
        return `active_docs_count ${documents.length}`;
      case 'active_users_count':
        return `active_users_count ${documents.reduce((sum, { views }) => sum + views.length, 0)}`;
      case 'uptime':
        return `uptime ${Math.floor((Date.now() - startedAt) / 1000)}`;
      case 'mem_consumed':
        return `mem_consumed ${documents.reduce((sum, { memory }) => sum + memory, 100_000)}`;
      case 'version':
        return `coolserver {"Version":"${VERSION}","Hash":"standin","Protocol":"0.1","Id":"standin"}`;
      default:
        return undefined;
    }
  }

  function serve(socket: WebSocket): void {
    let authenticated = false;
    subscribers.set(socket, new Set());
    socket.on('error', () => {});
    socket.on('close', () => subscribers.delete(socket));
    const refuse = (word: string): void => {
      socket.send(word);
      socket.close(1000);
    };
    // One after the other: a command may come right behind the login that it needs.
    let queue = Promise.resolve();
    socket.on('message', (data) => {
      queue = queue.then(() => handle(String(data).trim().split(' ')));
    });

    async function handle([command = '', ...words]: string[]): Promise<void> {
      const topics = subscribers.get(socket);
      if (faults.admin === 'hang') return;
      if (command === 'auth') {
        authenticated = options.admin !== null && (await valid(words.join(' ').replace(/^jwt=/, '')));
        if (!authenticated) refuse('InvalidAuthToken');
      } else if (!authenticated) refuse('NotAuthenticated');
      else if (command === 'subscribe') for (const word of words) topics?.add(word);
      else if (command === 'unsubscribe') for (const word of words) topics?.delete(word);
      else if (command === 'kill') deps.kill(Number(words[0]));
      else {
        const answer = reply(command);
        if (answer !== undefined) socket.send(answer);
      }
    }
  }

  return {
    /** GET …/admin/admin.html */
    async page(request: IncomingMessage, response: ServerResponse): Promise<void> {
      if (!(await authorized(request, response, 403))) return;
      const jwt = await token();
      const cookie = `jwt=${jwt}; Path=/browser/dist/; HttpOnly`;
      const headers = { 'Content-Type': 'text/html; charset=utf-8', [options.adminCookie ?? 'Set-Cookie']: cookie };
      send(response, 200, headers, `<!doctype html><title>Admin</title><script>window.jwtToken = '${jwt}';</script>`);
    },
    /** GET /cool/getMetrics */
    async metrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
      if (!(await authorized(request, response, 400))) return;
      const documents = listing();
      const views = documents.reduce((sum, document) => sum + document.views.length, 0);
      const text = `coolwsd_count 1\ndocument_all_views_all_count_total ${views}\nkit_assigned_count ${documents.length}\n`;
      send(response, 200, { 'Content-Type': 'text/plain' }, text);
    },
    serve,
    notify(topic: string, line: string): void {
      for (const [socket, topics] of subscribers) if (topics.has(topic)) socket.send(`${topic} ${line}`);
    },
    dropSockets(): void {
      for (const socket of subscribers.keys()) socket.terminate();
    },
  };
}

/** Put together by hand as the real one does it: a quote in a name breaks all of it. */
function documentsReply(documents: readonly ListedDocument[]): string {
  const now = Date.now();
  const seconds = (since: number): number => Math.floor((now - since) / 1000);
  const yes = (value: boolean): string => (value ? 'Yes' : 'No');
  const items = documents.map((document) => {
    const { pid, wopiSrc, fileName, memory, modified, uploaded } = document;
    const host = URL.canParse(wopiSrc) ? new URL(wopiSrc).hostname : '';
    const views = document.views.map(
      ({ userName, userId, sessionId, readonly }) =>
        `{"userName":"${userName}","userId":"${userId}","sessionid":"${sessionId}","readonly":"${readonly ? 1 : 0}"}`,
    );
    return `{"pid":${pid},"docKey":"${encodeURIComponent(wopiSrc)}","fileName":"${encodeURIComponent(fileName)}","wopiHost":"${host}","activeViews":${views.length},"memory":${memory},"elapsedTime":${seconds(document.openedAt)},"idleTime":${seconds(document.lastActivity)},"modified":"${yes(modified)}","uploaded":"${yes(uploaded)}","wopiSrc":"${wopiSrc}","views":[${views.join(',')}]}`;
  });
  return `{"documents":[${items.join(',')}]}`;
}

function phantom(index: number, wopiSrc: string): ListedDocument {
  const now = Date.now();
  return {
    pid: PHANTOM_PID + index,
    wopiSrc,
    fileName: 'oc_tmp_phantom.pdf',
    memory: 0,
    openedAt: now,
    lastActivity: now,
    modified: false,
    uploaded: true,
    views: [],
  };
}
