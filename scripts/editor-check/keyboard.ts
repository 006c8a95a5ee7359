import { randomInt } from 'node:crypto';
import type { ElementHandle, Frame, Page } from 'puppeteer-core';
import { need, seconds } from './wait.ts';

/** Where a document is edited: the editor's canvas, or the lines of the stand-in. */
const PLACE = '#document-canvas, textarea[data-line]';
const MARK_LETTERS = 10;
const KEY_MS = 15;
/** From the top of the place: inside of the first page, below the editor's bars. */
const DOWN = 200;
/** Keys are on their way for a moment; what was not sent yet is nobody's loss. */
const SENT_SECONDS = 0.5;

/** The real keyboard and mouse of a tab with an editor in it. */
export interface Keyboard {
  /** Clicks into the document and goes to its end. */
  focus(): Promise<void>;
  /** Types a word that is in no document yet. @returns the word, once the editor's server should have it */
  type(): Promise<string>;
  /** Presses a key together with Control. */
  control(key: 'a' | 'c' | 'v' | 's' | 'p' | 'End'): Promise<void>;
  /** The editor's page. */
  frame(): Promise<Frame>;
}

export function useKeyboard(page: Page, sentSeconds: () => number = () => SENT_SECONDS): Keyboard {
  async function find(): Promise<{ frame: Frame; place: ElementHandle } | undefined> {
    for (const frame of page.frames().toReversed()) {
      // A frame may go while it is asked.
      const place = frame.url().includes('/cool.html') && (await frame.$(PLACE).catch(() => null));
      if (place) return { frame, place };
    }
    return undefined;
  }

  async function control(key: string): Promise<void> {
    await page.keyboard.down('Control');
    await page.keyboard.press(key as 'End');
    await page.keyboard.up('Control');
  }

  async function focus(): Promise<void> {
    await page.bringToFront();
    const box = await need('a place to type in', async () => {
      const found = await find();
      return (await found?.place.boundingBox().catch(() => null)) ?? undefined;
    });
    await page.mouse.click(box.x + box.width / 2, box.y + Math.min(box.height / 2, DOWN));
    await control('End');
  }

  return {
    focus,
    control,
    frame: async () => (await need('the editor', find)).frame,
    async type() {
      await focus();
      const mark = newMark();
      await page.keyboard.type(`${mark} `, { delay: KEY_MS });
      await seconds(sentSeconds());
      return mark;
    },
  };
}

/** Letters alone: what the editor corrects by itself are capitals and known words. */
function newMark(): string {
  return Array.from({ length: MARK_LETTERS }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
