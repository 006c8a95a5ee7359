import { randomInt } from 'node:crypto';
import type { ElementHandle, Frame, Page } from 'puppeteer-core';
import { need, seconds, waitFor } from './wait.ts';

/** The element in which a document is edited: the editor's canvas, or the lines of the stand-in. */
const PLACE = '#document-canvas, textarea[data-line]';
/** Closes a dialog of the editor, into which keys would go. */
const CLOSES_DIALOG = '.jsdialog-window .ui-dialog-titlebar-close';
const ATTEMPTS = 5;
const MARK_LETTERS = 10;
const KEY_MS = 15;
const DIALOG_SECONDS = 10;
/** From the top of the place: inside of the first page, below the editor's bars. */
const DOWN = 200;
/** Keys are on their way for a moment; what was not sent yet is nobody's loss. */
const SENT_SECONDS = 0.5;

/** The real keyboard and mouse of a tab with an editor in it. */
export interface Keyboard {
  /** Closes dialogs of the editor, clicks into the document and goes to its end. */
  focus(): Promise<void>;
  /** Types a word that is in no document yet. @returns the word, once the editor's server should have it */
  type(): Promise<string>;
  /** Presses a key together with Control. */
  control(key: 'a' | 'c' | 'v' | 's' | 'p' | 'End'): Promise<void>;
  /** The editor's page. */
  frame(): Promise<Frame>;
  /** Counts the dialogs of the editor that had to be closed. */
  dialogs(): number;
}

export function useKeyboard(page: Page, sentSeconds: () => number = () => SENT_SECONDS): Keyboard {
  let dialogs = 0;

  async function find(): Promise<{ frame: Frame; place: ElementHandle } | undefined> {
    for (const frame of page.frames().toReversed()) {
      const place = frame.url().includes('/cool.html') && (await unlessGone(() => frame.$(PLACE)));
      if (place) return { frame, place };
    }
    return undefined;
  }

  async function control(key: string): Promise<void> {
    await page.keyboard.down('Control');
    await page.keyboard.press(key as 'End');
    await page.keyboard.up('Control');
  }

  /** @returns whether there was one */
  async function closeDialog(): Promise<boolean> {
    const found = await find();
    const close = found && (await unlessGone(() => found.frame.$(CLOSES_DIALOG)));
    if (!close || !(await unlessGone(() => close.isVisible()))) return false;
    dialogs += 1;
    await unlessGone(() => close.click());
    await seconds(sentSeconds());
    return true;
  }

  async function focus(): Promise<void> {
    await page.bringToFront();
    await waitFor(async () => !(await closeDialog()), DIALOG_SECONDS);
    const box = await need('a place to type in', async () => {
      const found = await find();
      return found && ((await unlessGone(() => found.place.boundingBox())) ?? undefined);
    });
    await page.mouse.click(box.x + box.width / 2, box.y + Math.min(box.height / 2, DOWN));
    await control('End');
  }

  return {
    focus,
    control,
    frame: async () => (await need('the editor', find)).frame,
    dialogs: () => dialogs,
    async type() {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        await focus();
        const mark = newMark();
        await page.keyboard.type(`${mark} `, { delay: KEY_MS });
        await seconds(sentSeconds());
        // With a dialog before the document, nobody knows which of the keys went where: the user sees it and types again.
        if (!(await closeDialog())) return mark;
      }
      throw new Error(`the editor shows a dialog again and again`);
    },
  };
}

/** A frame may go while it is asked. */
async function unlessGone<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}

/** Letters alone: what the editor corrects by itself are capitals and known words. */
function newMark(): string {
  return Array.from({ length: MARK_LETTERS }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
