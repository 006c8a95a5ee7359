import { existsSync } from 'node:fs';
import puppeteer, { type Browser } from 'puppeteer-core';

export type BrowserName = 'chromium' | 'firefox';

/** The programs themselves: what is in /usr/bin may be a script that only asks for a snap (Ubuntu). */
export const BROWSER_PATHS: Record<BrowserName, string[]> = {
  chromium: ['/usr/lib/chromium/chromium', '/opt/google/chrome/chrome'],
  firefox: ['/usr/lib/firefox-esr/firefox-esr', '/usr/lib/firefox/firefox'],
};
const SIZE = { width: 1280, height: 860 };
/** A save may take 30 s, and what comes back after a failure somewhat longer. */
const ANSWER_MS = 240_000;

/** A browser that can be treated as its machine may treat it. */
export interface OwnBrowser {
  browser: Browser;
  /** Name and version. */
  version: string;
  /** Stops all of its processes, as when the machine sleeps. */
  sleep(): void;
  wake(): void;
  kill(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a browser without windows.
 * @param path of the program; looked for in the usual places unless given
 * @throws {Error} when there is none on this machine
 */
export async function launchBrowser(
  name: BrowserName,
  path = BROWSER_PATHS[name].find(existsSync),
): Promise<OwnBrowser> {
  if (path === undefined)
    throw new Error(`there is no ${name} in ${BROWSER_PATHS[name].join(' or ')}: say --browser-path`);
  const args = ['--disable-dev-shm-usage', '--no-first-run', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const browser = await puppeteer.launch({
    browser: name === 'chromium' ? 'chrome' : 'firefox',
    executablePath: path,
    headless: true,
    args: name === 'chromium' ? args : [],
    defaultViewport: SIZE,
    protocolTimeout: ANSWER_MS,
    handleSIGINT: false,
  });
  const signal = (kind: NodeJS.Signals): void => {
    const running = browser.process();
    if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
    process.kill(-running.pid, kind);
  };
  return {
    browser,
    version: await browser.version(),
    sleep: () => signal('SIGSTOP'),
    wake: () => signal('SIGCONT'),
    async kill() {
      const gone = new Promise((resolve) => browser.once('disconnected', resolve));
      signal('SIGKILL');
      await gone;
    },
    async close() {
      signal('SIGCONT');
      await browser.close();
    },
  };
}
