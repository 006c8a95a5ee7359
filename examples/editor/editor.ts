import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { createAdmin } from './admin.ts';
import { capabilities, discovery } from './discovery.ts';
import { createDocuments } from './documents.ts';
import { send } from './http.ts';
import { type EditorOptions, type Faults, noFaults, TIMINGS } from './options.ts';
import { asset, page } from './page.ts';
import { ownOrigin, segments, upgradeOf } from './uri.ts';
import { createWopiClient } from './wopi.ts';

const MAX_MESSAGE_BYTES = 16 << 20;
const SHUTDOWN_MS = 5_000;
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
  /** Ends as on SIGTERM: views are told, what is modified is saved, for 5 s at most. */
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
  const faults = Object.assign(noFaults(), options.faults);
  const timings = { ...TIMINGS, ...options.timings };
  const serverId = 'standin';
  const wopi = createWopiClient({ serverId, timeoutMs: timings.request, faults });
  const documents = createDocuments({
    options,
    timings,
    faults,
    wopi,
    notify: (topic, line) => admin.notify(topic, line),
  });
  const admin = createAdmin({ options, faults, documents: documents.describe, kill: documents.kill });
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [first, second = '', third = ''] = segments(request.url ?? '/');
    const base = `${options.sslTermination ? 'https' : 'http'}://${options.serverName ?? request.headers.host}`;
    if (first === undefined) return send(response, 200, { 'Content-Type': 'text/plain' }, 'OK');
    if (first === 'hosting') return hosting(second, base, response);
    if (first === 'browser' && third === 'admin') return adminPage(request, response);
    if (first === 'browser' && third === 'cool.html') return editorPage(request, response);
    if (first === 'browser') return asset(third, response);
    if (first === 'cool' && second === 'getMetrics') return admin.metrics(request, response);
    if ((first === 'cool' || first === 'lool') && CONVERSIONS.test(second)) {
      return send(response, 200, { 'Content-Type': 'text/plain' }, 'converted: the front let this through\n');
    }
    send(response, first === 'cool' || first === 'lool' || first === 'wasm' ? 400 : 404);
  }

  function hosting(name: string, base: string, response: ServerResponse): void {
    const json = { 'Content-Type': 'application/json' };
    if (name === 'capabilities') send(response, 200, json, JSON.stringify(capabilities(serverId)));
    else if (name === 'wopiAccessCheck') send(response, 200, json, '{"status":"Ok"}');
    else if (name !== 'discovery') send(response, 404);
    else if (faults.discovery === 'error') send(response, 500);
    else if (faults.discovery !== 'hang') {
      const xml = faults.discovery === 'broken' ? '<wopi-discovery><net-zone' : discovery(base);
      send(response, 200, { 'Content-Type': 'text/xml' }, xml);
    }
  }

  async function adminPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (faults.admin === 'down') request.socket.destroy();
    else if (faults.admin !== 'hang') await admin.page(request, response);
  }

  async function editorPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, faults.pageDelayMs));
    if (faults.page === 'error') send(response, 500);
    else if (faults.page !== 'hang') await page({ options, documents, wopi }, request, response);
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refuse = (status: string): void => {
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    };
    socket.on('error', () => {});
    const wanted = upgradeOf(request.url ?? '/');
    const known = ownOrigin(request.headers.origin, [request.headers.host, options.serverName]);
    const websocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    if (!websocket || wanted.kind === 'none') refuse('400 Bad Request');
    else if (wanted.kind === 'editing') {
      sockets.handleUpgrade(request, socket, head, (view) => {
        if (known) void documents.connect(view, wanted.uri);
        else foreign(view, refuse);
      });
    } else if (faults.admin === 'down') socket.destroy();
    else if (!options.admin) refuse('400 Bad Request');
    else if (!known) refuse('403 Forbidden');
    else sockets.handleUpgrade(request, socket, head, admin.serve);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => (response.headersSent ? response.destroy() : send(response, 500)));
  });
  server.on('upgrade', upgrade);
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets.clients) socket.terminate();
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

/** As seen on the real one: the first frame is out before the Origin is looked at. */
function foreign(view: WebSocket, refuse: (status: string) => void): void {
  view.on('error', () => {});
  view.send('statusindicator: find', () => refuse('403 Forbidden'));
}
