import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Admin } from './admin.ts';
import { capabilities, discovery } from './discovery.ts';
import { Documents } from './documents.ts';
import { readText, send } from './http.ts';
import { type EditorOptions, type Faults, noFaults, TIMINGS } from './options.ts';
import { asset, page } from './page.ts';
import { ownOrigin, parseUpgrade, segments } from './uri.ts';
import { createWopiClient, type WopiClient } from './wopi.ts';

const MAX_MESSAGE_BYTES = 16 << 20;
const SHUTDOWN_MS = 5_000;
const ACCESS_CHECK_MS = 2_000;
/** Paths that a front must not let through: they answer 200 here, so that one that does is found out. */
const CONVERSIONS =
  /^(?:convert-to|extract-link-targets|(?:extract|transform)-document-structure|get-thumbnail|render-search-result)/;

export interface StandInEditor {
  url: string;
  port: number;
  /** May be changed at any time. */
  faults: Faults;
  /** Cuts all connections of views, which then come back; and those of the admin channel. */
  dropSockets(): void;
  /** Ends the process of each document, with what was not stored; the views come back by themselves. */
  crashDocuments(): void;
  /** Ends as on SIGTERM: sends a message to views and saves modified documents, for 5 s at most. */
  stop(): Promise<void>;
  /** Ends as on SIGKILL: what is not stored is lost. */
  kill(): Promise<void>;
}

/**
 * The stand-in for the editor server, for where the real one cannot be had: discovery, page, both WebSocket forms,
 * WOPI, postMessage and admin channel as reference notes on a running coolwsd 25.04 say, and the text of real documents
 * can be edited. No service imports it.
 */
export async function startEditor(options: EditorOptions): Promise<StandInEditor> {
  const editor = new Editor(options);
  const server = createServer((request, response) => {
    editor.answer(request, response).catch(() => (response.headersSent ? response.destroy() : send(response, 500)));
  });
  server.on('upgrade', (request, socket, head) => editor.upgrade(request, socket, head));
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { documents, admin, faults } = editor;

  async function close(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    editor.closeSockets();
    server.closeAllConnections();
    await closed;
  }

  return {
    url: `http://${options.host}:${port}`,
    port,
    faults,
    dropSockets(): void {
      documents.dropSockets();
      admin.dropSockets();
    },
    crashDocuments: () => documents.kill(),
    async stop(): Promise<void> {
      await documents.shutDown(SHUTDOWN_MS);
      await close();
    },
    async kill(): Promise<void> {
      documents.kill();
      await close();
    },
  };
}

const SERVER_ID = 'standin';

/** The editor's HTTP interface. */
class Editor {
  readonly faults: Faults;
  readonly documents: Documents;
  readonly admin: Admin;
  readonly #options: EditorOptions;
  readonly #wopi: WopiClient;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });

  constructor(options: EditorOptions) {
    const timings = { ...TIMINGS, ...options.timings };
    const faults = Object.assign(noFaults(), options.faults);
    const wopi = createWopiClient({ serverId: SERVER_ID, timeoutMs: timings.request });
    this.faults = faults;
    this.#options = options;
    this.#wopi = wopi;
    this.documents = new Documents({ options, timings, wopi });
    this.admin = new Admin({ options, documents: () => this.documents.describe() });
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { sslTermination, serverName } = this.#options;
    const [first, second = '', third = ''] = segments(request.url ?? '/');
    const base = `${sslTermination ? 'https' : 'http'}://${serverName ?? request.headers.host}`;
    if (first === undefined) return send(response, 200, { 'Content-Type': 'text/plain' }, 'OK');
    if (first === 'hosting' && second === 'wopiAccessCheck') return this.#accessCheck(request, response);
    if (first === 'hosting') return this.#hosting(second, base, response);
    if (first === 'browser' && third === 'admin') return this.admin.page(request, response);
    if (first === 'browser' && third === 'cool.html') return this.#editorPage(request, response);
    if (first === 'browser') return asset(third, response);
    if (first === 'cool' && second === 'getMetrics') return this.admin.metrics(request, response);
    if ((first === 'cool' || first === 'lool') && CONVERSIONS.test(second)) {
      return send(response, 200, { 'Content-Type': 'text/plain' }, 'converted: the front let this through\n');
    }
    send(response, first === 'cool' || first === 'lool' || first === 'wasm' ? 400 : 404);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refuse = (status: string): void => {
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    };
    socket.on('error', () => {});
    const wanted = parseUpgrade(request.url ?? '/');
    const isOwn = ownOrigin(request.headers.origin, [request.headers.host, this.#options.serverName]);
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    if (!isWebSocket || wanted.kind === 'none') refuse('400 Bad Request');
    else if (wanted.kind === 'editing') {
      this.#sockets.handleUpgrade(request, socket, head, (view) => {
        if (isOwn) void this.documents.connect(view, wanted.uri);
        else refuseForeign(view, refuse);
      });
    } else if (!this.#options.admin) refuse('400 Bad Request');
    else if (!isOwn) refuse('403 Forbidden');
    else this.#sockets.handleUpgrade(request, socket, head, (channel) => this.admin.serve(channel));
  }

  closeSockets(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  #hosting(name: string, base: string, response: ServerResponse): void {
    const { discovery: fault } = this.faults;
    const json = { 'Content-Type': 'application/json' };
    if (name === 'capabilities') send(response, 200, json, JSON.stringify(capabilities(SERVER_ID)));
    else if (name !== 'discovery') send(response, 404);
    else if (fault === 'error') send(response, 500);
    else {
      const xml = fault === 'broken' ? '<wopi-discovery><net-zone' : discovery(base);
      send(response, 200, { 'Content-Type': 'text/xml' }, xml);
    }
  }

  /** POST /hosting/wopiAccessCheck: whether documents may come from an address, and whether it is reached. */
  async #accessCheck(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { callbackUrl } = JSON.parse(await readText(request, MAX_MESSAGE_BYTES)) as { callbackUrl: string };
    const found = (status: string): void =>
      send(response, 200, { 'Content-Type': 'application/json' }, JSON.stringify({ status }));
    if (!this.documents.isAllowed(callbackUrl)) return found('WopiHostNotAllowed');
    const answer = await fetch(callbackUrl, { signal: AbortSignal.timeout(ACCESS_CHECK_MS) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (!answer) return found('UnspecifiedError');
    found(answer.status === 200 ? 'Ok' : 'NotHttpSuccess');
  }

  async #editorPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { faults, documents } = this;
    await new Promise((resolve) => setTimeout(resolve, faults.pageDelayMs));
    await page({ options: this.#options, documents, wopi: this.#wopi }, request, response);
  }
}

/** Refuses a foreign Origin as the real one does: the first frame is out before the Origin is looked at. */
function refuseForeign(view: WebSocket, refuse: (status: string) => void): void {
  view.on('error', () => {});
  view.send('statusindicator: find', () => refuse('403 Forbidden'));
}
