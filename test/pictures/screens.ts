import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'puppeteer-core';
import { freePorts } from '../../cmd/local/port.ts';
import { node, startService } from '../../cmd/local/service.ts';
import { launchBrowser } from '../../scripts/editor-check/browser.ts';
import { drawPage } from '../../scripts/examples/picture.ts';
import { startTestCluster } from '../support/controller.ts';

const DEMO_SIZE = { width: 1180, height: 620 };
const START_SECONDS = 180;
const MAIN = resolve(import.meta.dirname, '../../cmd/local/main.ts');

/** The demo page of `make run`, after somebody has typed and saved. */
export async function demo(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-picture-'));
  const [port] = await freePorts(1);
  const address = `http://localhost:${port}`;
  const service = await startService({
    name: 'make run',
    ...node(MAIN),
    logFile: join(folder, 'run.log'),
    readyUrl: `${address}/svc/healthz`,
    readySeconds: START_SECONDS,
    environment: { PORT: String(port), SVC_LOCAL_DIR: folder },
  });
  const { browser, close } = await launchBrowser('chromium');
  try {
    if (!(await service.ready)) throw new Error(await service.lastWords());
    const page = await browser.newPage();
    await page.setViewport(DEMO_SIZE);
    await page.goto(`${address}/svc/demo?lang=en`);
    await edit(page);
    return await drawScreen(page, DEMO_SIZE, 'The demo page: the document was saved, and its signed callback arrived.');
  } finally {
    await close();
    service.stop('SIGTERM');
    await service.ended;
    await rm(folder, { recursive: true, force: true });
  }
}

async function edit(page: Page): Promise<void> {
  await shows(page, 'events', 'onDocumentLoaded');
  await page.focus('iframe');
  await page.keyboard.press('End');
  await page.keyboard.type(', sửa lần thứ nhất');
  await shows(page, 'events', 'onModified');
  await page.click('#save');
  await shows(page, 'callbacks', 'document.saved');
  await shows(page, 'places', '1 of');
  await shows(page, 'people', 'Lan');
}

function shows(page: Page, id: string, text: string): Promise<unknown> {
  return page.waitForFunction(`document.getElementById('${id}').textContent.includes('${text}')`, { timeout: 60_000 });
}

const STYLE = `
html { background: #0d1117; }
body { margin: 0; }
pre { margin: 0; padding: 18px 22px; color: #e6edf3; font: 14px/1.6 'DejaVu Sans Mono', monospace; }
b { color: #7ee787; font-weight: normal; }`;
const SKIP = {
  skip: () => {
    throw new Error('there is no API server: run `make test` once');
  },
} as unknown as Mocha.Context;

/** `kubectl get svcinstance`, asked of a real API server at which the controller works; this script plays the kubelet. */
export async function kubectl(): Promise<string> {
  const cluster = await startTestCluster(SKIP);
  try {
    await cluster.putSecret('svc-license', { token: await cluster.license(200) });
    await cluster.startController();
    await cluster.apply('office', { host: 'office.example.com', license: { secretName: 'svc-license' } });
    await cluster.settled('office');
    await cluster.completeDeployments();
    await cluster.settled('office', ({ status }) => status?.conditions?.some(isReady) === true);
    await cluster.apply('intranet', { host: 'docs.intranet.example.com' });
    await cluster.settled('intranet', ({ status }) => status?.plan !== undefined);
    const output = await cluster.server.kubectl(['-n', cluster.namespace, 'get', 'svcinstance']);
    return await terminal(`<b>$ kubectl get svcinstance</b>\n${output}`);
  } finally {
    await cluster.close();
  }
}

function isReady({ type, status }: { type: string; status: string }): boolean {
  return type === 'Ready' && status === 'True';
}

async function terminal(text: string): Promise<string> {
  const { browser, close } = await launchBrowser('chromium');
  try {
    const page = await browser.newPage();
    const columns = Math.max(...text.split('\n').map(({ length }) => length));
    const size = {
      width: 44 + Math.ceil(columns * 8.45),
      height: 36 + Math.ceil(text.trimEnd().split('\n').length * 22.4),
    };
    await page.setContent(`<style>${STYLE}</style><pre>${text}</pre>`);
    return await drawScreen(page, size, 'kubectl get svcinstance');
  } finally {
    await close();
  }
}

/** Draws a page as the browser shows it, as SVG: the browser prints it as on a screen, without margins. */
async function drawScreen(
  page: Page,
  { width, height }: { width: number; height: number },
  title: string,
): Promise<string> {
  await page.emulateMediaType('screen');
  const pdf = await page.pdf({ width: `${width}px`, height: `${height}px`, printBackground: true, pageRanges: '1' });
  return drawPage(pdf, 1, title);
}
