import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { BROWSERS, launch } from './support/browsers.ts';

const PICTURES = resolve(import.meta.dirname, '../../docs/pictures');

/** Draws an SVG as an `<img>` and returns the PNG of it. */
const DRAWN = (svg: string) => `<body style="margin:0"><img width="800" src="data:image/svg+xml;base64,${svg}">`;

for (const browser of BROWSERS) {
  describe(`The guides' pictures in ${browser.name}`, function () {
    this.timeout(180_000);

    it('show whole letters', async () => {
      const running = await launch(browser);
      try {
        const page = await running.newPage();
        const shot = async (svg: string): Promise<string> => {
          await page.setContent(DRAWN(Buffer.from(svg).toString('base64')), { waitUntil: 'load' });
          return page.screenshot({ encoding: 'base64' });
        };
        for (const name of readdirSync(PICTURES)) {
          const svg = await readFile(join(PICTURES, name), 'utf8');
          const whole = svg.replaceAll('<symbol ', '<symbol overflow="visible" ');
          expect(await shot(svg), name).to.equal(await shot(whole));
        }
      } finally {
        await running.close();
      }
    });
  });
}
