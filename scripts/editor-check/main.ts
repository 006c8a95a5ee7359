/** Tries an editor server through good and bad days (docs/editor.md). */
import { isFree } from '../../cmd/local/port.ts';
import { launchBrowser, type OwnBrowser } from './browser.ts';
import { type Day, type Outcome, playDay } from './day.ts';
import { chooseDays } from './days.ts';
import { describeOpenings, measureOpenings } from './openings.ts';
import { getAddress, type Options, readOptions, USAGE } from './options.ts';
import { startPortal } from './portal.ts';
import { report } from './report.ts';
import { type Scene, setScene } from './scene.ts';
import { startCheckedService } from './service.ts';
import { need } from './wait.ts';

const KNOWN_SECONDS = 60;

/** @returns the exit code */
async function main(): Promise<number> {
  let options: Options;
  let days: readonly Day[];
  try {
    options = readOptions(process.argv.slice(2));
    days = chooseDays(options.only);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (options.list) {
    for (const { name, about } of days) console.log(`${name.padEnd(26)}${about}`);
    return 0;
  }
  if (await isFree(options.port)) return check(options, days);
  console.error(`port ${options.port} is in use: choose another with --port`);
  return 2;
}

async function check(options: Options, days: readonly Day[]): Promise<number> {
  const portal = await startPortal(getAddress(options));
  try {
    const service = await startCheckedService(options, portal);
    try {
      return await checkIn({ options, service, portal, browser: await startBrowser(options) }, days);
    } finally {
      await service.stop();
    }
  } finally {
    await portal.close();
  }
}

/** Ctrl+C ends the browser, and with it all days that are left. */
async function startBrowser({ browser: name, browserPath }: Options): Promise<OwnBrowser> {
  const browser = await launchBrowser(name, browserPath);
  process.once('SIGINT', () => void browser.close());
  return browser;
}

async function checkIn(stage: Parameters<typeof setScene>[0], days: readonly Day[]): Promise<number> {
  const { options, service, browser } = stage;
  try {
    await need('the editor', () => knowsEditor(service.gateUrl), KNOWN_SECONDS);
    const name = await editorName(service.editorUrl);
    const outcomes = await playAll(
      days,
      () => setScene(stage),
      () => browser.browser.connected,
    );
    console.log(`\n${name}, ${browser.version}\n`);
    console.log(report(outcomes, options.markdown));
    if (options.openings > 0) console.log(`\n${describeOpenings(await measureOpenings(setScene(stage)))}`);
    return outcomes.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
  } finally {
    await browser.close();
  }
}

/** @param goesOn says whether there is still a browser to play the next day in */
async function playAll(days: readonly Day[], setStage: () => Scene, goesOn: () => boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const day of days) {
    if (!goesOn()) break;
    const began = Date.now();
    const outcome = await playDay(day, setStage());
    outcomes.push(outcome);
    const reasons = outcome.reasons.length === 0 ? '' : `: ${outcome.reasons.join('; ')}`;
    console.error(`[${day.name}] ${outcome.verdict}${reasons} (${Math.round((Date.now() - began) / 1000)} s)`);
  }
  return outcomes;
}

async function knowsEditor(gateUrl: string): Promise<boolean> {
  const status = (await (await fetch(`${gateUrl}/svc/status`)).json()) as { upstream: { editor_server: string } };
  return status.upstream.editor_server !== 'down';
}

async function editorName(url: string): Promise<string> {
  const answer = await fetch(`${url}/hosting/capabilities`);
  const { productName = 'editor', productVersion = '' } = (await answer.json()) as Record<string, string>;
  return `${productName} ${productVersion}`.trim();
}

process.exitCode = await main();
