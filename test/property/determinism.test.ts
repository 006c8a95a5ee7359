import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { decodedPicture, getImages, type Picture, picture } from '../../cmd/docbuilder/script/check/pictures.ts';
import { buildFlat } from '../../cmd/docbuilder/script/write-script.ts';
import type { Script } from '../../src/common/generated/script.ts';
import { type Builder, NOW, startBuilder } from './support/builder.ts';
import { SERVED } from './support/picture.ts';
import { SCRIPTS } from './support/scripts.ts';

function flat(script: Script): string {
  const pictures = new Map<string, Picture>();
  for (const { path, image } of getImages(script)) {
    pictures.set(path, image.base64 ? decodedPicture(image.base64, path) : picture(SERVED, path));
  }
  const { head, body, tail } = buildFlat(script, { pictures, now: NOW });
  const middle = [...body].join('');
  return head() + middle + tail;
}

/** The XML parts of a package without moments and numbers that are drawn by lot. */
function normalised(file: Buffer): Record<string, string> {
  const parts = Object.entries(unzipSync(file)).filter(([name]) => /\.(?:xml|rels)$/.test(name));
  return Object.fromEntries(
    parts.map(([name, bytes]) => [
      name,
      strFromU8(bytes)
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, 'T')
        .replace(/(?:xml|draw|loext):?id="[^"]*"/g, '')
        .replace(/PT\d+H\d+M[\d.]+S/g, 'PT')
        .replace(/\{[0-9A-Fa-f-]{36}\}/g, 'ID')
        // LibreOffice counts when it has nothing else to do: the counts are there or not.
        .replace(/<(Pages|Words|Characters|CharactersWithSpaces|Paragraphs|Lines)>\d+<\/\1>/g, ''),
    ]),
  );
}

describe('the same script', () => {
  it('at the same moment gives the same flat file, byte for byte', () => {
    for (const script of SCRIPTS.values()) expect(flat(structuredClone(script))).to.equal(flat(script));
  });

  describe('built twice', function () {
    this.timeout(60_000);
    let builder: Builder;
    before(async () => {
      builder = await startBuilder(2);
    });
    after(() => builder?.stop());

    for (const [name, format] of [
      ['text-4', 'docx'],
      ['sheet-4', 'xlsx'],
      ['slides-4', 'pptx'],
    ] as const) {
      it(`gives the same ${format}, moments and drawn numbers apart`, async () => {
        const script = { ...SCRIPTS.get(name), save: [{ format }] } as Script;
        const results: Record<string, string>[] = [];
        for (const _ of [1, 2]) {
          await builder.build(script, async ([file]) => {
            results.push(normalised(await readFile(file?.path ?? '')));
          });
        }
        expect(results[0]).to.deep.equal(results[1]);
      });
    }
  });
});
