import type { IncomingMessage, ServerResponse } from 'node:http';
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import type { WebSocket } from 'ws';
import { equalStrings } from '../../src/common/crypto/equal.ts';
import { send } from './http.ts';
import type { EditorOptions } from './options.ts';

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
  options: Pick<EditorOptions, 'admin'>;
  documents(): ListedDocument[];
}

const EXPIRY_SECONDS = 1800;

/** The admin console: its page, its figures and its channel (reference/editor.md A5). */
export class Admin {
  readonly #deps: AdminDeps;
  // Created anew by each process: a token of the one before is worth nothing.
  readonly #keys = generateKeyPair('RS256');
  readonly #sockets = new Set<WebSocket>();

  constructor(deps: AdminDeps) {
    this.#deps = deps;
  }

  /** GET …/admin/admin.html */
  async page(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!(await this.#authorize(request, response, 403))) return;
    const jwt = await new SignJWT({ 'client.name': 'admin' })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setExpirationTime(`${EXPIRY_SECONDS}s`)
      .sign((await this.#keys).privateKey);
    const cookie = `jwt=${jwt}; Path=/browser/dist/; HttpOnly`;
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Set-Cookie': cookie };
    send(response, 200, headers, `<!doctype html><title>Admin</title><script>window.jwtToken = '${jwt}';</script>`);
  }

  /** GET /cool/getMetrics */
  async metrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!(await this.#authorize(request, response, 400))) return;
    const documents = this.#deps.documents();
    const views = documents.reduce((sum, document) => sum + document.views.length, 0);
    const text = `coolwsd_count 1\ndocument_all_views_all_count_total ${views}\nkit_assigned_count ${documents.length}\n`;
    send(response, 200, { 'Content-Type': 'text/plain' }, text);
  }

  /** Serves one connection of the admin channel. */
  serve(socket: WebSocket): void {
    const state = { authenticated: false };
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    // One after the other: a command may come right behind the login that it needs.
    let queue = Promise.resolve();
    socket.on('message', (data) => {
      queue = queue.then(() => this.#handle(socket, state, String(data).trim().split(' ')));
    });
  }

  dropSockets(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  async #handle(
    socket: WebSocket,
    state: { authenticated: boolean },
    [command = '', ...words]: string[],
  ): Promise<void> {
    const { options } = this.#deps;
    if (command === 'auth') {
      state.authenticated = options.admin !== null && (await this.#verify(words.join(' ').replace(/^jwt=/, '')));
      if (!state.authenticated) refuse(socket, 'InvalidAuthToken');
    } else if (!state.authenticated) refuse(socket, 'NotAuthenticated');
    else if (command === 'documents') socket.send(`documents ${documentsReply(this.#deps.documents())}`);
  }

  async #verify(jwt: string): Promise<boolean> {
    const { publicKey } = await this.#keys;
    return jwtVerify(jwt, publicKey).then(
      () => true,
      () => false,
    );
  }

  /** Answers 401 (or 403 where there is no console) and returns false, or returns true. */
  async #authorize(request: IncomingMessage, response: ServerResponse, off: number): Promise<boolean> {
    const { admin } = this.#deps.options;
    if (!admin) {
      send(response, off);
      return false;
    }
    const { user, password } = admin;
    const cookie = /(?:^|;\s*)jwt=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
    const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const credentials = Buffer.from(basic ?? '', 'base64').toString('utf8');
    const known = user !== '' && password !== '' && equalStrings(credentials, `${user}:${password}`);
    if (known || (cookie !== undefined && (await this.#verify(cookie)))) return true;
    send(response, 401, { 'WWW-authenticate': 'Basic realm="online"' });
    return false;
  }
}

function refuse(socket: WebSocket, word: string): void {
  socket.send(word);
  socket.close(1000);
}

/** Builds the list by hand as the real one does: a quote in a name breaks all of it. */
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
