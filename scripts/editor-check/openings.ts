import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { median } from '../../bench/statistics.ts';
import { submit } from './days/people.ts';
import { docx } from './documents.ts';
import { openPerson } from './person.ts';
import type { Scene } from './scene.ts';
import { need } from './wait.ts';

/** Milliseconds until a document is there: with gate and front, and with the editor alone. */
export interface Openings {
  through: number[];
  alone: number[];
}

const NAME = 'check.docx';
const LOAD_SECONDS = 120;

/**
 * Opens a document again and again, each time in a new browser profile: with `SVC.Editor`, from its construction to
 * `onDocumentLoaded`; and in the same editor without gate and front, from the request for its page to `Document_Loaded`.
 * Half of the former come before the latter, half of them after: a machine gets faster or slower as time goes by.
 */
export async function measureOpenings(scene: Scene): Promise<Openings> {
  const { openings: count } = scene.options;
  const before = await openThrough(scene, Math.ceil(count / 2));
  const alone = await openAlone(scene, count);
  const after = await openThrough(scene, Math.floor(count / 2));
  return { through: [...before, ...after], alone };
}

async function openThrough({ portal, browser, offer }: Scene, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    const context = await browser.browser.createBrowserContext();
    const person = await openPerson(context, portal.origin, (await offer()).configFor('Lan'));
    times.push(await person.loaded());
    await context.close();
  }
  return times;
}

/** The editor asks only hosts that it knows for documents: the one of this measurement stands where the gate was. */
async function openAlone(scene: Scene, count: number): Promise<number[]> {
  const { service } = scene;
  const times: number[] = [];
  await service.gate.kill();
  const host = await startWopiHost(service.internal);
  service.line.leadTo(Number(new URL(service.editorUrl).port));
  try {
    const page = await editorPage(service.editorUrl);
    for (let round = 0; round < count; round++) times.push(await openOneAlone(scene, page, round));
  } finally {
    service.line.leadTo(service.frontPort);
    await host.close();
    await service.gate.start();
  }
  return times;
}

async function openOneAlone(
  { options, service, portal, browser }: Scene,
  page: string,
  round: number,
): Promise<number> {
  const context = await browser.browser.createBrowserContext();
  const tab = await context.newPage();
  await tab.goto(`${portal.origin}/alone`);
  await tab.evaluate(LISTEN);
  const source = encodeURIComponent(`${service.wopiUrl}/wopi/files/check-${round}`);
  const action = `${service.url}${page}WOPISrc=${source}&lang=${options.lang}`;
  await tab.evaluate(submit(action, { access_token: 'check', access_token_ttl: '0' }));
  const time = await need(
    'Document_Loaded',
    async () => ((await tab.evaluate('loadedAfter')) as number) || undefined,
    LOAD_SECONDS,
  );
  await context.close();
  return time;
}

/** Medians and their ratio, in a sentence. */
export function describeOpenings({ through, alone }: Openings): string {
  const seconds = (times: readonly number[]) => `${(median(times) / 1000).toFixed(2)} s`;
  const ratio = (median(through) / median(alone)).toFixed(2);
  return `Time until a document is loaded, median of ${through.length}: ${seconds(through)} from new SVC.Editor; ${seconds(alone)} with the same editor without gate and front; ratio ${ratio}.`;
}

const LISTEN = `{
  window.loadedAfter = 0;
  const began = Date.now();
  addEventListener('message', ({ data, source }) => {
    const { MessageId: id, Values: values } = typeof data === 'string' ? JSON.parse(data) : data;
    if (id !== 'App_LoadingStatus') return;
    if (values.Status === 'Frame_Ready') source.postMessage(JSON.stringify({ MessageId: 'Host_PostmessageReady' }), '*');
    if (values.Status === 'Document_Loaded') window.loadedAfter = Date.now() - began;
  });
}`;

/** The path of the editor's page, as its discovery has it. */
async function editorPage(editorUrl: string): Promise<string> {
  const xml = await (await fetch(`${editorUrl}/hosting/discovery`)).text();
  const [, url] = /urlsrc="([^"]*cool\.html\?)/.exec(xml) ?? [];
  if (url === undefined) throw new Error('the editor’s discovery names no page');
  return `${new URL(url).pathname}?`;
}

/** The least that an editor needs of a WOPI host. @param listen `host:port` */
async function startWopiHost(listen: string): Promise<{ close(): Promise<void> }> {
  const bytes = docx();
  const info = {
    BaseFileName: NAME,
    Size: bytes.length,
    OwnerId: 'check',
    UserId: 'check',
    UserFriendlyName: 'Lan',
    UserCanWrite: true,
    Version: '1',
    LastModifiedTime: '2026-01-01T00:00:00.000000Z',
    PostMessageOrigin: '*',
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    request.resume();
    if (request.method === 'POST') response.end(JSON.stringify({ LastModifiedTime: info.LastModifiedTime }));
    else response.end(pathname.endsWith('/contents') ? bytes : JSON.stringify(info));
  });
  const { hostname, port } = new URL(`http://${listen}`);
  server.listen(Number(port), hostname);
  await once(server, 'listening');
  if ((server.address() as AddressInfo).port !== Number(port)) throw new Error(`${listen} is taken`);
  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
