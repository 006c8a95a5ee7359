import { parseArgs } from 'node:util';
import type { BrowserName } from './browser.ts';

export const USAGE = `npm run editor-check -- [options]

Tries an editor server through good and bad days, and says what became of each edit. Exits with 1 when a day failed.

  --online-url URL          the editor, such as http://127.0.0.1:9980; the stand-in unless given
  --admin-user NAME         of its admin console; admin unless given
  --admin-password-file FILE
  --wopi-url URL            where the editor reaches the gate, its aliasgroup1; the port after --port of 127.0.0.1 unless given
  --wopi-listen HOST:PORT   where the gate listens for it; 0.0.0.0:8081 when --wopi-url is given
  --port PORT               of the service, its server_name; 8080 unless given
  --editor-kill COMMAND     kills the editor as a failing machine does; with --editor-start: days on which it is killed
  --editor-start COMMAND    starts it, and returns once it answers
  --idle-seconds N          after which the editor closes an unused document; a day without it is left out
  --browser NAME            chromium or firefox; chromium unless given
  --browser-path FILE
  --only NAME,…             only these days; --list names them
  --repeat N                rounds of each day that is cheap to repeat; 3 unless given, 1 with --quick
  --openings N              of a document with the service and without; 10 unless given, 3 with --quick, 0 for none
  --quick                   short waits
  --lang CODE               of the editor's interface; vi unless given
  --pictures FOLDER         takes a picture of the page on each day
  --markdown                prints a Markdown table
  --list
`;

const TEXT = { type: 'string' } as const;
const SWITCH = { type: 'boolean', default: false } as const;
const OPTIONS = {
  'online-url': TEXT,
  'admin-user': { ...TEXT, default: 'admin' },
  'admin-password-file': TEXT,
  'wopi-url': TEXT,
  'wopi-listen': TEXT,
  port: TEXT,
  'editor-kill': TEXT,
  'editor-start': TEXT,
  'idle-seconds': TEXT,
  browser: { ...TEXT, default: 'chromium' },
  'browser-path': TEXT,
  only: TEXT,
  repeat: TEXT,
  openings: TEXT,
  lang: { ...TEXT, default: 'vi' },
  pictures: TEXT,
  quick: SWITCH,
  markdown: SWITCH,
  list: SWITCH,
} as const;

/** Options of the check. */
export type Options = ReturnType<typeof readOptions>;

/** Address of the service, as browsers have it. */
export function getAddress({ port }: Options): string {
  return `http://localhost:${port}`;
}

/** @throws {RangeError} that says which option is wrong */
export function readOptions(parameters: readonly string[]) {
  const given = parse(parameters);
  const count = (name: 'port' | 'idle-seconds' | 'repeat' | 'openings', usual: number): number => {
    const value = Number(given[name] ?? usual);
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`--${name} ${given[name]} is not a whole number`);
    return value;
  };
  const { browser, quick, lang, pictures, markdown, list } = given;
  if (browser !== 'chromium' && browser !== 'firefox')
    throw new RangeError(`--browser ${browser}: chromium or firefox`);
  const onlineUrl = given['online-url'];
  if (onlineUrl && !(URL.parse(onlineUrl)?.protocol === 'http:' && URL.parse(onlineUrl)?.pathname === '/')) {
    throw new RangeError(
      `--online-url ${onlineUrl} must be an address such as http://localhost:9980: plain HTTP, without a path`,
    );
  }
  return {
    ...{ browser: browser as BrowserName, quick, lang, pictures, markdown, list },
    onlineUrl: onlineUrl && new URL(onlineUrl).origin,
    adminUser: given['admin-user'],
    adminPasswordFile: given['admin-password-file'],
    wopiUrl: given['wopi-url'],
    wopiListen: given['wopi-listen'],
    port: count('port', 8080),
    editorKill: given['editor-kill'],
    editorStart: given['editor-start'],
    idleSeconds: given['idle-seconds'] === undefined ? undefined : count('idle-seconds', 0),
    browserPath: given['browser-path'],
    only: given.only?.split(',') ?? [],
    repeat: count('repeat', quick ? 1 : 3),
    openings: count('openings', quick ? 3 : 10),
  };
}

function parse(parameters: readonly string[]) {
  try {
    return parseArgs({ args: [...parameters], options: OPTIONS }).values;
  } catch (error) {
    throw new RangeError((error as Error).message);
  }
}
