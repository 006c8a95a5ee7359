import type { Page } from 'puppeteer-core';
import { drawPage } from '../../scripts/examples/picture.ts';

export interface Size {
  width: number;
  height: number;
}

/** What a browser shows of a page, as SVG: the browser prints it as on a screen, without margins. */
export async function drawScreen(page: Page, { width, height }: Size, title: string): Promise<string> {
  await page.emulateMediaType('screen');
  const pdf = await page.pdf({ width: `${width}px`, height: `${height}px`, printBackground: true, pageRanges: '1' });
  return drawPage(pdf, 1, title);
}
