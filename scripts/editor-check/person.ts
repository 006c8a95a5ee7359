import type { BrowserContext, Page } from 'puppeteer-core';
import type { EmbedConfig } from '../../src/common/generated/wire.ts';
import { type Keyboard, useKeyboard } from './keyboard.ts';
import { need, seconds, waitFor } from './wait.ts';

/** An event of `SVC.Editor`, as the page noted it. */
export interface SeenEvent {
  event: string;
  at: number;
  code?: string;
  message?: string;
  reason?: string;
}

/** The end of a `save()`. */
export interface Saved {
  version?: number;
  /** The code of its error. */
  code?: string;
  seconds: number;
}

/** Somebody with a document in a tab, by `SVC.Editor`. */
export interface Person extends Keyboard {
  page: Page;
  /** From `new SVC.Editor` to the first `onDocumentLoaded`, in milliseconds. @throws {Error} with the events that came instead */
  loaded(limit?: number): Promise<number>;
  state(): Promise<string>;
  isModified(): Promise<boolean>;
  seen(): Promise<SeenEvent[]>;
  save(): Promise<Saved>;
  /** Calls `save()` until it resolves. @returns seconds after `since`; undefined when it took longer than `limit` */
  saveAgain(since: number, limit: number): Promise<number | undefined>;
  /** Types a word as long as the page says that the document is open. @returns the word, if it said so all the time */
  typeIfInvited(): Promise<string | undefined>;
  /** Calls something of `editor` and does not wait for it. */
  begin(code: string): Promise<void>;
  /** Closes the tab, as a user does. */
  leave(): Promise<void>;
}

/** Opens a document in a new tab of a portal's site. */
export async function openPerson(context: BrowserContext, portal: string, config: EmbedConfig): Promise<Person> {
  const page = await context.newPage();
  await page.goto(portal);
  const call = <Result>(code: string): Promise<Result> => page.evaluate(code) as Promise<Result>;
  await call(`opens(${JSON.stringify(config)})`);
  const keyboard = useKeyboard(page);
  const seen = (): Promise<SeenEvent[]> => call('seen');
  const state = (): Promise<string> => call('editor.getInfo().state');
  const isModified = (): Promise<boolean> => call('editor.getInfo().modified');

  async function save(): Promise<Saved> {
    const began = Date.now();
    const ended = await call<Omit<Saved, 'seconds'>>(
      'editor.save().then(({ version }) => ({ version }), ({ code }) => ({ code: String(code) }))',
    );
    return { ...ended, seconds: (Date.now() - began) / 1000 };
  }

  return {
    ...keyboard,
    ...{ page, seen, state, isModified, save },
    async loaded(limit = 150) {
      const first = await need(
        'onDocumentLoaded',
        async () => {
          // Where the service was not reached for the first time, the library does not try again.
          const isOver = (await state()) === 'failed';
          const events = await seen();
          const failed = events.find(({ event, code }) => event === 'onError' && (isOver || code !== 'network_error'));
          if (failed) throw new Error(`the document did not open: ${failed.code} ${failed.reason ?? failed.message}`);
          return events.find(({ event }) => event === 'onDocumentLoaded');
        },
        limit,
      );
      return first.at - (await call<number>('began'));
    },
    async type() {
      const mark = await keyboard.type();
      await waitFor(isModified, 5);
      return mark;
    },
    async saveAgain(since, limit) {
      while (Date.now() - since < limit * 1000) {
        const { version } = await save();
        if (version !== undefined) return (Date.now() - since) / 1000;
        await seconds(0.2);
      }
      return undefined;
    },
    async typeIfInvited() {
      if ((await state()) !== 'loaded') return undefined;
      const mark = await keyboard.type();
      return (await state()) === 'loaded' ? mark : undefined;
    },
    begin: (code) => call(`void editor.${code}.catch(() => {})`),
    leave: async () => void (page.isClosed() || (await page.close())),
  };
}
