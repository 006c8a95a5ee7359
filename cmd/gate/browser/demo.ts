/** The script of the demo's page (`GET /svc/demo`), in development mode only. */
interface Settings {
  lang: 'vi' | 'en';
  doc: string;
  config: SVC.Config;
}

interface Callback {
  received_at: string;
  event: string;
  signature: 'valid' | 'invalid' | 'unsigned';
  body: { version?: number; users?: SVC.User[]; savedBy?: SVC.User | null } | null;
}

const TEXTS = {
  vi: {
    standIn: (name: string) =>
      `Đây không phải trình soạn thảo thật: máy này đang chạy “${name}”, một bản thay thế đơn giản để dùng thử. Hãy dùng compose.yaml để chạy trình soạn thảo thật.`,
    unreachable: 'Không kết nối được với máy chủ soạn thảo: hãy mở trang này qua địa chỉ công khai của dịch vụ.',
    nobody: 'Chưa có ai',
    places: (used: number, limit: number) => `${used} trên ${limit}`,
    signature: { valid: 'chữ ký đúng', invalid: 'chữ ký SAI', unsigned: 'không có chữ ký (chưa đặt khóa)' },
    version: 'phiên bản',
  },
  en: {
    standIn: (name: string) =>
      `This is not the real editor: this machine is running “${name}”, a simple stand-in for trying things out. Use compose.yaml for the real one.`,
    unreachable: 'The editor server could not be reached: open this page at the public address of the service.',
    nobody: 'Nobody yet',
    places: (used: number, limit: number) => `${used} of ${limit}`,
    signature: { valid: 'valid signature', invalid: 'INVALID signature', unsigned: 'unsigned (no key is set)' },
    version: 'version',
  },
};

const REFRESH_MS = 2_000;
const EVENTS_SHOWN = 50;

const settings: Settings = JSON.parse(element('settings').textContent ?? '{}');
const texts = TEXTS[settings.lang];
const [saveButton, modeButton, closeButton] = ['save', 'mode', 'close'].map((id) => element<HTMLButtonElement>(id));

for (const [id, query] of [
  ['another', `&doc=${settings.doc}`],
  ['fresh', `&doc=${Date.now().toString(36)}`],
] as const) {
  element<HTMLAnchorElement>(id).href += query;
}

const editor = new SVC.Editor('editor', {
  ...settings.config,
  warnBeforeUnload: true,
  events: {
    onReady: () => note('onReady'),
    onDocumentLoaded: (info) => {
      note('onDocumentLoaded', info.mode);
      showButtons();
    },
    onModified: ({ modified }) => note('onModified', modified),
    onSaved: ({ version, size }) => note('onSaved', `${texts.version} ${version}, ${size} B`, 'good'),
    onClose: ({ reason }) => {
      note('onClose', reason);
      showButtons();
    },
    onLimitReached: ({ message }) => {
      note('onLimitReached', message, 'bad');
      notice(message);
    },
    onError: ({ code, message, detail }) => note('onError', `${code}: ${message} ${JSON.stringify(detail)}`, 'bad'),
  },
});

// Errors are shown by onError.
saveButton?.addEventListener('click', () => void editor.save().catch(() => {}));
closeButton?.addEventListener('click', () => void editor.close().catch(() => {}));
modeButton?.addEventListener('click', () => {
  const { mode } = editor.getInfo();
  modeButton.disabled = true;
  void editor
    .setReadOnly(mode === 'edit')
    .catch(() => {})
    .then(showButtons);
});
void showProduct();
void refresh();

function showButtons(): void {
  const { state, mode } = editor.getInfo();
  for (const button of [saveButton, modeButton, closeButton]) if (button) button.disabled = state !== 'loaded';
  if (modeButton) modeButton.textContent = (mode === 'edit' ? modeButton.dataset.view : modeButton.dataset.edit) ?? '';
}

/** Finds out from its name which editor is behind the page. */
async function showProduct(): Promise<void> {
  const capabilities = await get<{ productName?: string; productVersion?: string }>('/hosting/capabilities');
  const name = capabilities?.productName ?? '?';
  element('product').textContent = `${name} ${capabilities?.productVersion ?? ''}`;
  // That all places are taken, which is told on the same line, is more urgent.
  if (!element('notice').hidden) return;
  if (!capabilities) notice(texts.unreachable);
  else if (/stand-?in/i.test(name)) notice(texts.standIn(name));
}

async function refresh(): Promise<void> {
  const [status, received] = await Promise.all([
    get<{ connections: { current: number; pending: number; limit: number } }>('/svc/status'),
    get<Callback[]>('/svc/demo/callbacks'),
  ]);
  if (status) {
    const { current, pending, limit } = status.connections;
    element('places').textContent = texts.places(current + pending, limit);
  }
  if (received) element('callbacks').replaceChildren(...received.map(callbackItem));
  const { users } = editor.getInfo();
  const names = users.length > 0 ? users.map(({ name }) => name) : [texts.nobody];
  element('people').replaceChildren(...names.map((name) => item(name)));
  setTimeout(refresh, REFRESH_MS);
}

function callbackItem({ received_at: at, event, signature, body }: Callback): HTMLElement {
  const by = body?.savedBy ? `, ${body.savedBy.name}` : '';
  const text = `${time(at)} ${event}, ${texts.version} ${body?.version}${by}: ${texts.signature[signature]}`;
  return item(text, signature === 'invalid' ? 'bad' : signature === 'valid' ? 'good' : '');
}

function note(event: string, what: unknown = '', look = ''): void {
  const list = element('events');
  list.prepend(item(`${time(new Date().toISOString())} ${event} ${what}`, look));
  while (list.children.length > EVENTS_SHOWN) list.lastElementChild?.remove();
}

function notice(text: string): void {
  const place = element('notice');
  place.textContent = text;
  place.hidden = false;
}

/** Text only: names come from other people. */
function item(text: string, look = ''): HTMLElement {
  const made = document.createElement('li');
  made.textContent = text;
  made.className = look;
  return made;
}

function time(iso: string): string {
  return new Date(iso).toLocaleTimeString(settings.lang);
}

async function get<Body>(path: string): Promise<Body | undefined> {
  try {
    const response = await fetch(path, { cache: 'no-store' });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

function element<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}
