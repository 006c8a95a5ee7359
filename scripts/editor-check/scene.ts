import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbedConfig } from '../../src/common/generated/wire.ts';
import type { OwnBrowser } from './browser.ts';
import { docx } from './documents.ts';
import type { Options } from './options.ts';
import { openPerson, type Person, type SeenEvent } from './person.ts';
import type { Portal } from './portal.ts';
import type { Service } from './service.ts';
import { readVersions, type Versions } from './versions.ts';
import { seconds } from './wait.ts';

/** A document of the portal that has never been opened before. */
export interface Document {
  name: string;
  configFor(user: string): EmbedConfig;
  /** Its versions; it must have been opened. */
  versions: Versions;
}

/** All that was seen on one day. */
export interface Tally {
  rounds: number;
  /** Words that were typed and must be in the document. */
  typed: number;
  lost: string[];
  /** Seconds until `save()` works once the service is back; undefined for never. */
  back: (number | undefined)[];
  /** Events by name and code. */
  seen: Set<string>;
  /** Other things that are not as they have to be. */
  faults: string[];
  /** Measured beside, for the table. */
  notes: string[];
}

/** The day's stage: the service, a browser, people and documents. */
export interface Scene {
  options: Options;
  service: Service;
  portal: Portal;
  browser: OwnBrowser;
  tally: Tally;
  offer(bytes?: Uint8Array, fileType?: string): Promise<Document>;
  /** Somebody opens it in a browser profile of their own. */
  open(document: Document, user?: string, browser?: OwnBrowser): Promise<Person>;
  /** Looks for words in the newest version, and counts those that do not come. @returns those */
  expect(document: Document, marks: readonly string[], limit?: number): Promise<readonly string[]>;
  /** Adds the events of a person's page since `from`, an index of its events; since it was first loaded unless given. */
  hear(person: Person, from?: number): Promise<void>;
  /** Waits so many seconds, or less when `--quick` is given. */
  pause(usual: number, quick: number): Promise<void>;
  /** Keeps a picture of somebody's page when `--pictures` is given. */
  picture(person: Person, name: string): Promise<void>;
  /** Closes all tabs. */
  clear(): Promise<void>;
}

/** The time that a version may take after the last person has left. */
const EXIT_SECONDS = 60;

export function setScene(stage: Pick<Scene, 'options' | 'service' | 'portal' | 'browser'>): Scene {
  const { options, service, portal } = stage;
  const tally: Tally = { rounds: 0, typed: 0, lost: [], back: [], seen: new Set(), faults: [], notes: [] };
  const clearing: (() => Promise<void>)[] = [];
  return {
    ...stage,
    tally,
    async offer(bytes = docx(), fileType = 'docx') {
      const key = `check-${randomBytes(8).toString('hex')}`;
      const name = `${key}.${fileType}`;
      const document = { url: portal.offer(name, bytes), title: name, fileType, key };
      const configFor = (user: string): EmbedConfig => ({
        document,
        editor: {
          mode: 'edit',
          lang: options.lang,
          user: { id: user, name: user },
          callbackUrl: `${portal.origin}/callbacks`,
        },
      });
      return { name, configFor, versions: await readVersions(service.gateUrl, configFor('reader')) };
    },
    async open(document, user = 'Lan', { browser } = stage.browser) {
      const context = await browser.createBrowserContext();
      clearing.push(() => context.close());
      const person = await openPerson(context, portal.origin, document.configFor(user));
      await person.loaded();
      return person;
    },
    async expect(document, marks, limit = EXIT_SECONDS) {
      const missing = await document.versions.missing(marks, limit);
      tally.typed += marks.length;
      tally.lost.push(...missing);
      return missing;
    },
    async hear(person, from) {
      const seen = await person.seen();
      const since = from ?? seen.findIndex(({ event }) => event === 'onDocumentLoaded') + 1;
      for (const one of seen.slice(since)) tally.seen.add(getName(one));
      if (person.dialogs() > 0) tally.seen.add('(a dialog of the editor)');
    },
    pause: (usual, quick) => seconds(options.quick ? quick : usual),
    async picture(person, name) {
      if (options.pictures === undefined) return;
      await mkdir(options.pictures, { recursive: true });
      const path = join(options.pictures, `${name}-${options.lang}-${options.browser}.png`) as `${string}.png`;
      await person.page.screenshot({ path }).catch(() => {});
    },
    async clear() {
      for (const each of clearing) await each().catch(() => {});
    },
  };
}

function getName({ event, code, reason }: SeenEvent): string {
  return [event, code, reason].filter(Boolean).join(' ');
}
