import { WebSocket } from 'ws';
import type { Line } from '../../examples/editor/content/content.ts';
import type { UriForm } from '../../examples/editor/options.ts';

/** A gate's session, as far as opening the editor needs it. */
export interface EditorSession {
  /** Path and query of the editor page, with WOPISrc. */
  editor_url: string;
  form: { access_token: string; access_token_ttl?: number | string; [field: string]: unknown };
}

export interface OpenOptions {
  /** Origin of the front, or of the editor itself. */
  server: string;
  session: EditorSession;
  /** The form of the WebSocket URL; the page's by default. */
  uri?: UriForm;
  /** Origin header of the socket; the server's own by default. */
  origin?: string;
  /** In the URL of the socket: browsers put it there only when they connect again. */
  permission?: 'edit' | 'readonly' | 'view';
  /** Posts the form to the page first, as a browser does; true by default. */
  page?: boolean;
}

export interface ViewInfo {
  id: number;
  userid: string;
  username: string;
  readonly: '0' | '1';
}

/** Where the editor or its front said no. */
export class EditorRefused extends Error {
  readonly stage: 'page' | 'socket' | 'load';
  /** HTTP status of the page or the upgrade. */
  readonly status: number | undefined;
  readonly body: string;

  constructor(stage: EditorRefused['stage'], status: number | undefined, body: string) {
    super(`${stage} refused: ${status ?? ''} ${body.slice(0, 200)}`);
    this.stage = stage;
    this.status = status;
    this.body = body;
  }
}

/** A view of a document without a browser: opens, types, saves, leaves. */
export type EditorClient = Awaited<ReturnType<typeof openEditor>>;

const DEADLINE_MS = 15_000;

/**
 * Opens a document in the stand-in editor as a browser would, without postMessage.
 * @throws {EditorRefused}
 */
export async function openEditor(options: OpenOptions) {
  const form = (options.page ?? true) ? await openPage(options) : undefined;
  const url = socketUrl(options, options.uri ?? form ?? '25.04');
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await connect(url, options.origin ?? new URL(options.server).origin);
    } catch (error) {
      if (!(error instanceof EditorRefused && isPassing(error)) || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/**
 * Returns whether the page would connect again: the document was just being saved after its last view had left, or a front does
 * not know yet that an editor's pod is gone.
 */
function isPassing({ stage, status, body }: EditorRefused): boolean {
  return body.includes('docunloading') || (stage === 'socket' && status === 502);
}

/** Posts the form; the form of the WebSocket URL that the page uses. */
async function openPage({ server, session }: OpenOptions): Promise<UriForm> {
  const body = new URLSearchParams(
    Object.entries(session.form).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const response = await fetch(new URL(session.editor_url, server), { method: 'POST', body });
  const text = await response.text();
  const uri = /data-uri="(25\.04|26\.04)"/.exec(text)?.[1];
  if (response.status !== 200 || !uri) throw new EditorRefused('page', response.status, text);
  return uri as UriForm;
}

/** The WebSocket URL of a session (reference notes, A1.1). */
function socketUrl({ server, session, permission }: OpenOptions, uri: UriForm): string {
  const wopiSrc = new URL(session.editor_url, server).searchParams.get('WOPISrc') ?? '';
  const source = encodeURIComponent(wopiSrc);
  const access = new URLSearchParams({
    access_token: session.form.access_token,
    access_token_ttl: String(session.form.access_token_ttl ?? 0),
    no_auth_header: '',
    ...(permission ? { permission } : {}),
  });
  const base = server.replace(/^http/, 'ws').replace(/\/$/, '');
  if (uri === '26.04') return `${base}/cool/ws?WOPISrc=${source}&${access}&compat=`;
  return `${base}/cool/${encodeURIComponent(`${wopiSrc}?${access}`)}/ws?WOPISrc=${source}&compat=/ws`;
}

async function connect(url: string, origin: string) {
  const socket = new WebSocket(url, { origin, perMessageDeflate: false });
  const received: string[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of [...waiting]) check();
  };
  let ended: { code: number } | undefined;
  let failure: Error | undefined;
  let lines: Line[] = [];
  let views: ViewInfo[] = [];
  let [viewId, next, savedAt] = [0, 0, 0];

  socket.on('unexpected-response', (request, response) => {
    let body = '';
    response.on('data', (chunk) => {
      body += chunk;
    });
    response.on('end', () => {
      failure = new EditorRefused('socket', response.statusCode, body);
      request.destroy();
      wake();
    });
  });
  socket.on('error', (error) => {
    failure ??= new EditorRefused('socket', undefined, error.message);
    wake();
  });
  socket.on('close', (code) => {
    ended = { code };
    wake();
  });
  socket.on('message', (data) => {
    const message = String(data);
    received.push(message);
    follow(message);
    wake();
  });

  function follow(message: string): void {
    const [, name, rest = ''] = /^(\w+): ([\s\S]*)$/.exec(message) ?? [];
    if (name === 'viewinfo') views = JSON.parse(rest);
    if (name === 'lines') ({ viewId, lines } = JSON.parse(rest));
    if (name !== 'set' && name !== 'add' && name !== 'remove') return;
    const { id, text = '', after } = JSON.parse(rest);
    const at = lines.findIndex((line) => line.id === id);
    if (name === 'add') lines.splice(lines.findIndex((line) => line.id === after) + 1, 0, { id, text });
    else if (name === 'remove' && at >= 0) lines.splice(at, 1);
    else if (lines[at]) lines[at].text = text;
  }

  /** The first message from `from` on that starts so; rejects when the socket ends or nothing comes in time. */
  function message(prefix: string, from = 0, withinMs = DEADLINE_MS): Promise<string> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        waiting.delete(check);
        clearTimeout(timer);
        done();
      };
      const check = (): void => {
        const found = received.find((text, index) => index >= from && text.startsWith(prefix));
        const error = received.find((text) => /^error: cmd=(?:internal|load) /.test(text));
        if (found !== undefined) settle(() => resolve(found));
        else if (failure) settle(() => reject(failure));
        else if (ended) settle(() => reject(new EditorRefused('load', undefined, error ?? `closed ${ended?.code}`)));
      };
      const timer = setTimeout(() => settle(() => reject(new Error(`no "${prefix}" within ${withinMs} ms`))), withinMs);
      waiting.add(check);
      check();
    });
  }

  const say = (text: string): void => socket.send(text);
  /** Sends a change and waits for its echo: then it is in the document. */
  async function change(
    name: 'set' | 'add' | 'remove',
    value: { id: string; [member: string]: unknown },
  ): Promise<void> {
    const from = received.length;
    say(`${name} ${JSON.stringify(value)}`);
    await message(`${name}: ${JSON.stringify({ ...value, by: viewId })}`, from);
  }

  await message('modified: ');
  const perm = (): string => received.findLast((text) => text.startsWith('perm: ')) ?? '';

  return {
    viewId,
    /** All that the editor said, in order. */
    received: received as readonly string[],
    message,
    readonly: () => perm() === 'perm: readonly',
    lines: (): string[] => lines.map(({ text }) => text),
    views: (): readonly ViewInfo[] => views,
    modified: () => received.findLast((text) => text.startsWith('modified: ')) === 'modified: true',
    /** Writes a text at the end of a line, of the last one by default. */
    async type(text: string, index = lines.length - 1): Promise<void> {
      const line = lines[index];
      if (!line) throw new RangeError(`no line ${index}`);
      await change('set', { id: line.id, text: line.text + text });
    },
    setLine: (index: number, text: string): Promise<void> => change('set', { id: lines[index]?.id ?? '', text }),
    /** Adds a paragraph at the end. */
    addLine: (text: string): Promise<void> =>
      change('add', { id: `${viewId}.${next++}`, after: lines.at(-1)?.id ?? null, text }),
    /** Asks for a save; what resolves is the editor's word, before anything is stored. See `stored`. */
    async save(
      values: { extendedData?: string; dontSaveIfUnmodified?: boolean } = {},
    ): Promise<{ success: boolean; result: string }> {
      savedAt = received.length;
      say(`save ${JSON.stringify(values)}`);
      return JSON.parse((await message('saveresult: ', savedAt)).slice('saveresult: '.length));
    },
    /** Resolves once the WOPI host has what the last `save` saved. */
    stored: (withinMs?: number): Promise<string> => message('uploaded', savedAt, withinMs),
    say,
    /** Closes as a tab does that is closed; resolves when the socket is gone. */
    leave: (): Promise<void> => end(() => socket.close(1000)),
    /** Cuts the connection. */
    drop: (): Promise<void> => end(() => socket.terminate()),
  };

  async function end(how: () => void): Promise<void> {
    const gone = new Promise<void>((resolve) => (ended ? resolve() : socket.once('close', () => resolve())));
    how();
    await gone;
  }
}
