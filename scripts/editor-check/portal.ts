import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { DocumentCallback } from '../../src/common/generated/wire.ts';

/** A company's own site: pages with an editor, documents, and a receiver of callbacks. */
export interface Portal {
  origin: string;
  /** Serves a document. @returns its URL */
  offer(name: string, bytes: Uint8Array): string;
  callbacks: DocumentCallback[];
  close(): Promise<void>;
}

/** @param service address of the service, as browsers have it */
export async function startPortal(service: string): Promise<Portal> {
  const documents = new Map<string, Uint8Array>();
  const callbacks: DocumentCallback[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://portal');
    const document = documents.get(pathname);
    if (request.method === 'POST') {
      callbacks.push((await json(request)) as DocumentCallback);
      response.writeHead(204).end();
    } else if (document) response.end(document);
    else response.setHeader('Content-Type', 'text/html; charset=utf-8').end(portalPage(service));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    callbacks,
    offer(name, bytes) {
      documents.set(`/documents/${name}`, bytes);
      return `${origin}/documents/${name}`;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A page that keeps the events of its editor in `seen`; `opens` makes the editor. */
export function portalPage(service: string): string {
  return `<!doctype html><meta charset="utf-8"><title>editor check</title>
<body style="margin: 0"><div id="editor" style="height: 100vh"></div>
<script src="${service}/svc/api.js"></script>
<script>
  const seen = [];
  const names = ['onReady', 'onDocumentLoaded', 'onModified', 'onSaved', 'onClose', 'onLimitReached', 'onError'];
  const events = Object.fromEntries(names.map((event) => [event, (data) => seen.push(
    { event, at: Date.now(), code: data.code, message: data.message, reason: data.detail && data.detail.reason })]));
  function opens(config) {
    window.began = Date.now();
    window.editor = new SVC.Editor('editor', { ...config, events });
  }
</script>`;
}
