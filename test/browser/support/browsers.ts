import { existsSync } from 'node:fs';
import puppeteer, { type Browser } from 'puppeteer-core';
import { BROWSER_PATHS } from '../../../scripts/editor-check/browser.ts';
import { browserEnding } from '../../support/at-end.ts';

interface Installed {
  name: 'chrome' | 'firefox';
  path: string | undefined;
}

/** The browsers of this machine (`SVC_TEST_CHROME` and `SVC_TEST_FIREFOX` name others); without a path: there is none. */
export const BROWSERS: readonly Installed[] = [
  { name: 'chrome', path: process.env['SVC_TEST_CHROME'] ?? BROWSER_PATHS.chromium.find(existsSync) },
  { name: 'firefox', path: process.env['SVC_TEST_FIREFOX'] ?? BROWSER_PATHS.firefox.find(existsSync) },
];

/** Starts a browser without windows. */
export function launch({ name, path }: Installed): Promise<Browser> {
  if (path === undefined) throw new Error(`there is no ${name} on this machine`);
  // Inside of a container there may be nobody but root, and /dev/shm is small.
  const args = name === 'chrome' ? ['--no-sandbox', '--disable-dev-shm-usage', '--no-first-run'] : [];
  return puppeteer.launch({ browser: name, executablePath: path, headless: true, args, protocolTimeout: 60_000 });
}

const shared = new Map<string, Promise<Browser>>();

/** A browser that test files share: each closes its own pages. */
export function shareBrowser(installed: Installed): Promise<Browser> {
  const { name } = installed;
  const running = shared.get(name) ?? launch(installed);
  if (!shared.has(name)) {
    browserEnding.at(async () => {
      shared.delete(name);
      await (await running).close();
    });
  }
  shared.set(name, running);
  return running;
}
