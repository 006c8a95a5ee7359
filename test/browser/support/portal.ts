import { createServer } from 'node:http';
import type { Frame, Page } from 'puppeteer-core';
import { listeningPort } from '../../support/listen.ts';
import { until } from '../../support/until.ts';

export type Portal = Awaited<ReturnType<typeof startPortal>>;

/**
 * Starts a portal's web server: a page that embeds, under a Content-Security-Policy as strict as it can be.
 * `/isolated` has more policies.
 * @param gate origin of the service
 */
export async function startPortal(gate: string) {
  const policy = [
    "default-src 'none'",
    `script-src ${gate}`,
    `connect-src ${gate}`,
    `frame-src ${gate} http://127.0.0.1:*`,
    `form-action ${gate}`,
  ].join('; ');
  const server = createServer(({ url }, response) => {
    if (url === '/isolated') {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'credentialless');
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8').setHeader('Content-Security-Policy', policy);
    response.end(`<!doctype html><html lang="vi"><title>portal</title><script src="${gate}/svc/api.js"></script>
<button id="button">x</button><div id="editor"></div><div id="second"></div>`);
  });
  server.listen(0, '127.0.0.1');
  const port = await listeningPort(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The globals that `openPortal` puts into the page. */
declare global {
  interface Window {
    editors: Record<string, SVC.Editor>;
    told: { id: string; event: string; data: unknown }[];
    make(id: string, config?: Partial<SVC.Config>, target?: HTMLElement): void;
    listeners: number;
    /** The time for an opening is so many times shorter. */
    hurry: number;
  }
}

/**
 * Opens the portal's page. `make` in it makes an editor that notes its events in `told`; long waits pass
 * faster, a test that waits for the end of an opening sets `hurry`; `listeners` counts those of the window that have not ended.
 */
export async function openPortal(page: Page, portal: Portal, path = '/'): Promise<void> {
  await page.evaluateOnNewDocument(() => {
    if (window !== window.top) return;
    const { setTimeout: plain } = window;
    window.hurry = 8;
    window.setTimeout = ((work: () => void, ms = 0) =>
      plain(work, ms >= 100_000 ? ms / window.hurry : ms >= 10_000 ? ms / 8 : ms)) as typeof setTimeout;
    const { addEventListener: add } = window;
    window.listeners = 0;
    window.addEventListener = (...args: Parameters<typeof add>) => {
      const { signal } = (args[2] ?? {}) as AddEventListenerOptions;
      window.listeners += 1;
      signal?.addEventListener('abort', () => {
        window.listeners -= 1;
      });
      add.apply(window, args);
    };
    window.editors = {};
    window.told = [];
    const names = ['onReady', 'onDocumentLoaded', 'onModified', 'onSaved', 'onClose', 'onLimitReached', 'onError'];
    window.make = (id, config = {}, target) => {
      const events = names.map((event) => [
        event,
        (data: unknown) => {
          window.told.push({ id, event, data });
        },
      ]);
      window.editors[id] = new window.SVC.Editor(target ?? id, {
        document: { url: 'https://portal.example/a.docx', title: 'a.docx', fileType: 'docx', key: `key-${id}` },
        editor: { mode: 'edit', user: { id: 'u1', name: 'Lan' } },
        events: Object.fromEntries(events),
        ...config,
      });
    };
  });
  await page.goto(portal.origin + path);
}

/** Returns the names of the events that an editor has told. */
export function toldBy(page: Page, id = 'editor'): Promise<string[]> {
  return page.evaluate((name) => window.told.filter((told) => told.id === name).map(({ event }) => event), id);
}

/** The data of the first such event, once it has come. */
export async function event<Data>(page: Page, name: string, id = 'editor'): Promise<Data> {
  const told = await until(`${name} of ${id}`, () =>
    page.evaluate((wanted, from) => window.told.find((one) => one.event === wanted && one.id === from), name, id),
  );
  return told.data as Data;
}

/** Makes an editor and waits until its document is there; the frame that shows it. */
export async function openEditor(page: Page, config: object = {}, id = 'editor'): Promise<Frame> {
  await page.evaluate((name, given) => window.make(name, given), id, config);
  await event(page, 'onDocumentLoaded', id);
  return editorFrame(page, id);
}

/** The newest page of an editor's iframe. */
export async function editorFrame(page: Page, id = 'editor'): Promise<Frame> {
  const handle = await page.$(`#${id} iframe`);
  const frame = await handle?.contentFrame();
  if (!frame) throw new Error(`no frame in #${id}`);
  return frame;
}

/** Runs a statement in an editor's page. */
export function inEditor<Result>(frame: Frame, code: string): Promise<Result> {
  return frame.evaluate(code) as Promise<Result>;
}

/** Messages that an editor's page has received. */
export async function received(frame: Frame, id: string): Promise<Record<string, unknown>[]> {
  const all = await inEditor<{ MessageId: string; Values: Record<string, unknown> }[]>(frame, 'received');
  return all.filter(({ MessageId }) => MessageId === id).map(({ Values }) => Values);
}
