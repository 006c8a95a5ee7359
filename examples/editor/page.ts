import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeAttribute, HASH } from './discovery.ts';
import type { Documents } from './documents.ts';
import { readText, send } from './http.ts';
import type { EditorOptions } from './options.ts';
import type { WopiClient } from './wopi.ts';

const MAX_FORM_BYTES = 1 << 20;
/** Fields that the page's script may read. */
const FIELDS = ['access_token', 'access_token_ttl', 'no_auth_header', 'ui_defaults', 'postmessage_origin'];

/** The files of the page, by their name under /browser/<hash>/. */
const ASSETS: Readonly<Record<string, string>> = {
  'page.js': 'text/javascript; charset=utf-8',
  'connection.js': 'text/javascript; charset=utf-8',
  'lines.js': 'text/javascript; charset=utf-8',
  'host.js': 'text/javascript; charset=utf-8',
  'views.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

export function asset(name: string, response: ServerResponse): void {
  const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (type === undefined) send(response, 404);
  else {
    const body = readFileSync(new URL(`page/${name}`, import.meta.url));
    send(response, 200, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' }, body);
  }
}

export interface PageDeps {
  options: EditorOptions;
  documents: Documents;
  wopi: WopiClient;
}

/** POST /browser/<hash>/cool.html: the editor's page, with the form's fields in it (reference/editor.md A1.4). */
export async function page(deps: PageDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { options, documents, wopi } = deps;
  const query = new URL(request.url ?? '', 'http://editor').searchParams;
  const form = new URLSearchParams(request.method === 'POST' ? await readText(request, MAX_FORM_BYTES) : '');
  const source = query.get('WOPISrc') ?? '';
  const wopiSrc = URL.canParse(source) && /^https?:/.test(source) ? source : undefined;
  // Asked while the page is served, before any socket: it has no consequence here but the host sees it.
  if (wopiSrc && form.get('access_token') && documents.isAllowed(wopiSrc)) {
    const access = new URLSearchParams({
      access_token: form.get('access_token') ?? '',
      access_token_ttl: form.get('access_token_ttl') ?? '0',
      ...(form.get('permission') ? { permission: form.get('permission') ?? '' } : {}),
    });
    void wopi.checkFileInfo({ wopiSrc: wopiSrc.split('?')[0] ?? '', access });
  }
  const host = /^[\w.:[\]-]+$/.exec(request.headers.host ?? '')?.[0] ?? 'localhost';
  const ancestors = [
    ...(options.frameAncestors ?? []),
    `${hostname(options.serverName ?? host)}:*`,
    ...(wopiSrc ? [`${new URL(wopiSrc).hostname}:*`] : []),
  ];
  const variables = {
    ...Object.fromEntries(FIELDS.map((name) => [name, form.get(name) ?? ''])),
    uri: options.uri ?? '25.04',
    frame_ancestors: ancestors.join(' '),
  };
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ws://${host} wss://${host}`,
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors.join(' ')}`,
  ];
  send(
    response,
    200,
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    },
    html(query.get('lang') ?? 'vi', variables),
  );
}

function hostname(host: string): string {
  return host.replace(/:\d+$/, '');
}

function html(lang: string, variables: Readonly<Record<string, string>>): string {
  const data = Object.entries(variables).map(
    ([name, value]) => `data-${name.replaceAll('_', '-')}="${escapeAttribute(value)}"`,
  );
  return `<!doctype html>
<html lang="${escapeAttribute(lang)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Trình soạn thảo thay thế / Stand-in editor</title>
<link rel="stylesheet" href="/browser/${HASH}/page.css">
<link rel="icon" href="/browser/${HASH}/icon.svg">
<input type="hidden" id="initial-variables" ${data.join(' ')}>
<header>
  <p class="honest"><strong>Trình soạn thảo thay thế</strong> chỉ sửa được văn bản thuần, dùng khi không có trình soạn thảo thật.
    <span lang="en"><strong>Stand-in editor</strong>: edits plain text only, for use when the real editor is not available.</span></p>
  <div role="toolbar" aria-label="Tệp / File">
    <button id="save" disabled>Lưu / Save</button>
    <button id="close" hidden>Đóng / Close</button>
    <span id="mode"></span>
    <span id="status" role="status">Đang mở… / Opening…</span>
  </div>
  <ul id="views" aria-label="Người đang mở / People here"></ul>
</header>
<dialog id="conflict">
  <p>Tài liệu đã thay đổi trên kho. / The document was changed in storage.</p>
  <button id="overwrite">Ghi đè / Overwrite</button> <button id="discard">Bỏ bản này / Discard mine</button>
</dialog>
<main id="lines" aria-label="Nội dung / Content"></main>
<script type="module" src="/browser/${HASH}/page.js"></script>
</html>
`;
}
