import { hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { bundle } from '../../../cmd/gate/http/api-js.ts';
import { listeningPort } from '../../support/listen.ts';
import { type Behaviour, editorPage } from './editor-page.ts';

interface Session {
  session_id: string;
  token: string;
  key: string;
  mode: 'edit' | 'view';
}

interface Document {
  version: number;
  saves: { nonce: string; version: number }[];
}

/** Orders of a test: so the gate and its editor behave from now on. */
export interface Orders extends Behaviour {
  /** No place for editing is free. */
  full?: boolean;
  /** Uploads are not answered, and nothing is stored, before this has resolved. */
  hold?: Promise<void>;
  /** Creation, change of mode and removal are not answered before this has resolved. */
  slow?: Promise<void>;
  /** The session's state is not answered before this has resolved. */
  late?: Promise<void>;
  refuse?: { status: number; code: string };
  /** No answer at all. */
  down?: boolean;
  frameAncestors?: string;
  /** `editor_url` of sessions. */
  address?: string;
  /** The editor's server lists nobody. */
  nobody?: boolean;
  /** When the editor fetched the document. */
  loadedAt?: string;
}

export type FakeGate = Awaited<ReturnType<typeof startFakeGate>>;

const noState = () => ({
  orders: {} as Orders,
  /** Method and path of each request, in their order. */
  requests: [] as string[],
  /** Bodies of what created sessions. */
  configs: [] as unknown[],
  documents: new Map<string, Document>(),
  sessions: new Map<string, Session>(),
  /** Headers Cookie of all requests. */
  cookies: [] as string[],
  forms: [] as URLSearchParams[],
});

/** Starts the gate and an editor behind one origin, as far as the browser library meets them; documents are by their key. */
export async function startFakeGate() {
  const api = await bundle('main');
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  const port = await listeningPort(server);
  const gate = {
    origin: `http://localhost:${port}`,
    ...noState(),
    reset: () => void Object.assign(gate, noState()),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gate;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', gate.origin);
    const body = await text(request);
    const { method = '' } = request;
    if (method !== 'OPTIONS') gate.requests.push(`${method} ${url.pathname}`);
    if (request.headers.cookie) gate.cookies.push(request.headers.cookie);
    const { orders } = gate;
    response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*');
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS');
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type, Authorization');
    if (url.pathname === '/svc/api.js') return void response.setHeader('Content-Type', 'text/javascript').end(api);
    if (method === 'OPTIONS') return void response.end();
    if (url.pathname === '/frame') return html(response, '<!doctype html>');
    if (url.pathname === '/browser/1/cool.html') return page(response, body);
    if (orders.down && url.pathname.startsWith('/svc/')) return void response.destroy();
    if (url.pathname === '/svc/healthz') return json(response, 200, { ok: true });
    if (url.pathname === '/fake/put') return put(url, response);
    if (url.pathname === '/svc/embed/session') return create(body, response);
    const session = gate.sessions.get(url.pathname.split('/')[4] ?? '');
    if (!session || request.headers.authorization !== `Bearer ${session.token}`) {
      return json(response, 401, { error: { code: 'invalid_session_token', message: '', detail: {} } });
    }
    if (method === 'DELETE') {
      await orders.slow;
      gate.sessions.delete(session.session_id);
      return void response.writeHead(204).end();
    }
    await (url.pathname.endsWith('/mode') ? orders.slow : orders.late);
    if (!url.pathname.endsWith('/mode'))
      return json(response, 200, describeSession(session, url.searchParams.get('nonce')));
    const { mode } = JSON.parse(body);
    session.mode = orders.full ? 'view' : mode;
    json(response, 200, view(session, mode));
  }

  async function create(body: string, response: ServerResponse): Promise<void> {
    const config = JSON.parse(body);
    gate.configs.push(config);
    const { orders } = gate;
    await orders.slow;
    if (orders.refuse) {
      const { status, code } = orders.refuse;
      const detail = { errors: [{ path: '/document/key', message: 'is wrong' }] };
      return json(response, status, { error: { code, message: 'Không được.', detail, request_id: 'req_0' } });
    }
    const wanted = config.editor?.mode ?? 'edit';
    const session: Session = {
      session_id: `ses_${randomBytes(12).toString('hex')}`,
      token: randomBytes(32).toString('base64url'),
      key: config.document.key,
      mode: orders.full ? 'view' : wanted,
    };
    gate.sessions.set(session.session_id, session);
    if (!gate.documents.has(session.key)) gate.documents.set(session.key, { version: 0, saves: [] });
    json(response, 201, view(session, wanted));
  }

  function view(session: Session, wanted: string): object {
    const limited = session.mode !== wanted;
    return {
      ...identify(session),
      requested_mode: wanted,
      limited,
      limit: limited ? { code: 'connection_limit_reached', limit: 2, current: 2, pending: 0 } : null,
      message: limited ? 'Hết chỗ.' : null,
      editor_url:
        gate.orders.address ??
        `/browser/1/cool.html?WOPISrc=x&lang=vi${session.mode === 'view' ? '&permission=readonly' : ''}`,
      form: { access_token: session.token, access_token_ttl: 4_000_000_000_000, ui_defaults: 'UIMode=compact' },
      version: gate.documents.get(session.key)?.version ?? 0,
    };
  }

  function describeSession(session: Session, nonce: string | null): object {
    const { key } = session;
    const { version, saves } = gate.documents.get(key) ?? { version: 0, saves: [] };
    return {
      ...identify(session),
      version,
      saved_at: version === 0 ? null : '2026-01-01T00:00:00.000Z',
      size: 1000 + version,
      sha256: hash('sha256', `${key} ${version}`),
      download_url: `${gate.origin}/svc/embed/files/x?v=${version}`,
      loaded_at: gate.orders.loadedAt ?? 'at first',
      users: gate.orders.nobody ? [] : [{ id: 'u1', name: 'Lan' }],
      save: saves.find((save) => save.nonce === nonce) ?? saves.at(-1) ?? null,
    };
  }

  function page(response: ServerResponse, body: string): void {
    const form = new URLSearchParams(body);
    gate.forms.push(form);
    const { frameAncestors } = gate.orders;
    if (frameAncestors) response.setHeader('Content-Security-Policy', `frame-ancestors ${frameAncestors}`);
    html(response, editorPage(gate.orders, form.get('access_token') ?? ''));
  }

  async function put(url: URL, response: ServerResponse): Promise<void> {
    await gate.orders.hold;
    const session = [...gate.sessions.values()].find(({ token }) => token === url.searchParams.get('token'));
    const document = session && gate.documents.get(session.key);
    if (!document) return void response.writeHead(401).end();
    document.version += 1;
    const nonce = /^svc1\.(.+)$/.exec(url.searchParams.get('extended') ?? '')?.[1];
    if (nonce) document.saves.push({ nonce, version: document.version });
    response.end();
  }
}

function identify({ session_id, key, mode }: Session): object {
  return { session_id, key, mode, doc_id: `doc_${hash('sha256', key).slice(0, 32)}` };
}

function html(response: ServerResponse, body: string): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8').end(body);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
