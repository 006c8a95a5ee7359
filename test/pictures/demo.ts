import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'puppeteer-core';
import { freePorts } from '../../cmd/local/port.ts';
import { node, startService } from '../../cmd/local/service.ts';
import { launchBrowser } from '../../scripts/editor-check/browser.ts';
import { until } from '../support/until.ts';
import { drawScreen } from './print.ts';

const SIZE = { width: 1180, height: 620 };
const START_MS = 180_000;
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
    environment: { PORT: String(port), SVC_LOCAL_DIR: folder },
  });
  const { browser, close } = await launchBrowser('chromium');
  try {
    await until('the service answers', () => answers(`${address}/svc/healthz`), START_MS);
    const page = await browser.newPage();
    await page.setViewport(SIZE);
    await page.goto(`${address}/svc/demo?lang=en`);
    await edit(page);
    return await drawScreen(page, SIZE, 'The demo page: the document was saved, and its signed callback arrived.');
  } finally {
    await close();
    service.stop('SIGTERM');
    await service.ended;
    await rm(folder, { recursive: true, force: true });
  }
}

async function answers(url: string): Promise<true | undefined> {
  const response = await fetch(url).catch(() => undefined);
  return response?.ok || undefined;
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
