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

/** Options of the check. */
export interface Options {
  onlineUrl: string | undefined;
  adminUser: string;
  adminPasswordFile: string | undefined;
  wopiUrl: string | undefined;
  wopiListen: string | undefined;
  port: number;
  editorKill: string | undefined;
  editorStart: string | undefined;
  idleSeconds: number | undefined;
  browser: BrowserName;
  browserPath: string | undefined;
  only: readonly string[];
  repeat: number;
  openings: number;
  quick: boolean;
  lang: string;
  pictures: string | undefined;
  markdown: boolean;
  list: boolean;
}

const TEXTS = [
  'online-url',
  'admin-user',
  'admin-password-file',
  'wopi-url',
  'wopi-listen',
  'port',
  'editor-kill',
  'editor-start',
  'idle-seconds',
  'browser',
  'browser-path',
  'only',
  'repeat',
  'openings',
  'lang',
  'pictures',
] as const;
const SWITCHES = ['quick', 'markdown', 'list'] as const;

/** Address of the service, as browsers have it. */
export function getAddress({ port }: Options): string {
  return `http://localhost:${port}`;
}

/** @throws {RangeError} that says which option is wrong */
export function readOptions(parameters: readonly string[]): Options {
  const given = parse(parameters);
  const text = (name: (typeof TEXTS)[number]): string | undefined => given[name] as string | undefined;
  const count = (name: (typeof TEXTS)[number], usual: number): number => {
    const value = Number(text(name) ?? usual);
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`--${name} ${text(name)} is not a whole number`);
    return value;
  };
  const quick = given['quick'] === true;
  const browser = text('browser') ?? 'chromium';
  if (browser !== 'chromium' && browser !== 'firefox')
    throw new RangeError(`--browser ${browser}: chromium or firefox`);
  const onlineUrl = text('online-url');
  if (onlineUrl && !(URL.parse(onlineUrl)?.protocol === 'http:' && URL.parse(onlineUrl)?.pathname === '/')) {
    throw new RangeError(
      `--online-url ${onlineUrl} must be an address such as http://localhost:9980: plain HTTP, without a path`,
    );
  }
  return {
    onlineUrl: onlineUrl && new URL(onlineUrl).origin,
    adminUser: text('admin-user') ?? 'admin',
    adminPasswordFile: text('admin-password-file'),
    wopiUrl: text('wopi-url'),
    wopiListen: text('wopi-listen'),
    port: count('port', 8080),
    editorKill: text('editor-kill'),
    editorStart: text('editor-start'),
    idleSeconds: text('idle-seconds') === undefined ? undefined : count('idle-seconds', 0),
    browser,
    browserPath: text('browser-path'),
    only: text('only')?.split(',') ?? [],
    repeat: count('repeat', quick ? 1 : 3),
    openings: count('openings', quick ? 3 : 10),
    quick,
    lang: text('lang') ?? 'vi',
    pictures: text('pictures'),
    markdown: given['markdown'] === true,
    list: given['list'] === true,
  };
}

function parse(parameters: readonly string[]): Record<string, string | boolean | undefined> {
  const options = Object.fromEntries([
    ...TEXTS.map((name) => [name, { type: 'string' as const }]),
    ...SWITCHES.map((name) => [name, { type: 'boolean' as const }]),
  ]);
  try {
    return parseArgs({ args: [...parameters], options }).values as Record<string, string | boolean | undefined>;
  } catch (error) {
    throw new RangeError((error as Error).message);
  }
}
