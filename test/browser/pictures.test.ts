import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { BROWSERS, shareBrowser } from './support/browsers.ts';

const PICTURES = resolve(import.meta.dirname, '../../docs/pictures');

/** A page that shows an SVG as an `<img>`. */
const shown = (svg: string, background: string) =>
  `<body style="margin:0;background:${background}"><img width="800" src="data:image/svg+xml;base64,${svg}">`;

const EDGE = 8;

for (const browser of BROWSERS) {
  it(`The guides' pictures in ${browser.name} show whole letters on a paper of their own, which a dark page does not change`, async function () {
    if (browser.path === undefined) return this.skip();
    this.timeout(60_000);
    const page = await (await shareBrowser(browser)).newPage();
    const shot = async (svg: string, background: string): Promise<string> => {
      await page.setContent(shown(Buffer.from(svg).toString('base64'), background), { waitUntil: 'load' });
      const { width = 0, height = 0 } = (await (await page.$('img'))?.boundingBox()) ?? {};
      // At its edges a picture may cover half a pixel.
      const clip = { x: EDGE, y: EDGE, width: width - 2 * EDGE, height: Math.floor(height) - 2 * EDGE };
      return page.screenshot({ encoding: 'base64', clip });
    };
    // All pictures are drawn in one of these two ways.
    for (const name of ['kubectl.svg', 'letter.svg']) {
      const svg = await readFile(join(PICTURES, name), 'utf8');
      const whole = svg.replaceAll('<symbol ', '<symbol overflow="visible" ');
      expect((await shot(svg, '#000')) === (await shot(whole, '#fff')), name).to.equal(true);
    }
    await page.close();
  });
}
