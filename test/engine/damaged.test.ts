import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { EngineFailure } from '../../cmd/docbuilder/engine/task.ts';
import type { SourceFormat } from '../../cmd/docbuilder/formats.ts';
import { zip } from '../../scripts/support/documents.ts';
import { tempFolder, verdict } from '../support/inspect.ts';
import { type Bench, createBench, fodp, fods, fodt, paragraph, row, slide } from './support.ts';

const MARKS = ['Một', 'Hai', 'Ba'];
const PACKAGES = ['docx', 'odt', 'xlsx', 'ods', 'pptx', 'odp'] as const;
type Package = (typeof PACKAGES)[number];
type Parts = Record<string, Uint8Array>;

/** Where the first sheet, slide or page of a format is. */
const CONTENT: Record<Package, string> = {
  docx: 'word/document.xml',
  odt: 'content.xml',
  xlsx: 'xl/worksheets/sheet1.xml',
  ods: 'content.xml',
  pptx: 'ppt/slides/slide1.xml',
  odp: 'content.xml',
};

describe('engine: damaged packages', function () {
  this.timeout(120_000);
  let bench: Bench;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  const whole = new Map<Package, Parts>();
  before(async () => {
    folder = await tempFolder();
    bench = await createBench();
    const flat: [content: string, from: SourceFormat, to: readonly Package[]][] = [
      [fodt(MARKS.map(paragraph).join('')), 'fodt', ['docx', 'odt']],
      [fods(MARKS.map((mark) => row(mark)).join('')), 'fods', ['xlsx', 'ods']],
      [fodp(MARKS.map((mark) => slide(mark)).join('')), 'fodp', ['pptx', 'odp']],
    ];
    for (const [content, from, targets] of flat)
      for (const to of targets) whole.set(to, unzipSync((await bench.convert(content, from, to)).bytes));
  });
  after(async () => {
    await bench?.dispose();
    await folder?.remove();
  });

  /** The text of what is made of a file as the service makes it; or the code or reason that says why not. */
  async function opened(content: Buffer, name: string): Promise<string> {
    const found = await verdict(await folder.file(content), name);
    if ('code' in found) return found.code;
    const { format } = found;
    const to = /^(doc|od?t)/.test(format) ? 'txt' : /^(xls|ods)/.test(format) ? 'csv' : 'odp';
    try {
      const { bytes, text } = await bench.convert(content, format, to);
      return to === 'odp' ? Buffer.from(unzipSync(bytes)['content.xml'] ?? []).toString() : text;
    } catch (error) {
      if (error instanceof EngineFailure) return error.reason;
      throw error;
    }
  }

  const damage: [what: string, (parts: Parts, part: string) => Parts][] = [
    ['half of its content', (parts, part) => ({ ...parts, [part]: halfOf(parts[part]) })],
    ['empty content', (parts, part) => ({ ...parts, [part]: new Uint8Array() })],
    ['an unclosed tag in its content', (parts, part) => ({ ...parts, [part]: withTag(parts[part]) })],
    ['another part as its content', (parts, part) => ({ ...parts, [part]: Buffer.from('<a/>') })],
    ['no content', (parts, part) => Object.fromEntries(Object.entries(parts).filter(([name]) => name !== part))],
  ];
  for (const format of PACKAGES) {
    for (const [what, change] of damage) {
      it(`${format} with ${what} is refused`, async () => {
        const content = zip(change(whole.get(format) as Parts, CONTENT[format]));
        expect(await opened(content, `a.${format}`)).to.equal('damaged_part');
      });
    }
  }

  it('xlsx and pptx that do not say where their sheets and slides are', async () => {
    for (const [format, part] of [
      ['xlsx', 'xl/_rels/workbook.xml.rels'],
      ['pptx', 'ppt/_rels/presentation.xml.rels'],
    ] as const) {
      const { [part]: _, ...parts } = whole.get(format) as Parts;
      expect(await opened(zip(parts), `a.${format}`), format).to.equal('damaged_part');
    }
  });

  it('xlsx without the texts or the formats of its cells', async () => {
    for (const part of ['xl/sharedStrings.xml', 'xl/styles.xml']) {
      const { [part]: _, ...parts } = whole.get('xlsx') as Parts;
      expect(await opened(zip(parts), 'a.xlsx'), part).to.equal('damaged_part');
    }
  });

  it('pptx without a master, or with a layout that names none', async () => {
    for (const part of ['ppt/slideMasters/slideMaster1.xml', 'ppt/slideLayouts/_rels/slideLayout1.xml.rels']) {
      const { [part]: removed, ...parts } = whole.get('pptx') as Parts;
      expect(removed, part).to.not.equal(undefined);
      expect(await opened(zip(parts), 'a.pptx'), part).to.equal('damaged_part');
    }
  });

  it('a picture that is not the one that was packed', async () => {
    const picture = randomBytes(200);
    const image = '<Relationship Id="rIdA" Type="http://a/image" Target="media/a.png"/></Relationships>';
    const rels = 'word/_rels/document.xml.rels';
    const docx = whole.get('docx') as Parts;
    const related = Buffer.from(docx[rels] as Uint8Array)
      .toString()
      .replace('</Relationships>', image);
    for (const [format, parts] of [
      ['docx', { ...docx, [rels]: Buffer.from(related), 'word/media/a.png': picture }],
      ['odt', listed({ ...whole.get('odt'), 'Pictures/a.png': picture }, 'Pictures/a.png')],
    ] as const) {
      const content = zip(parts);
      expect(await opened(content, `a.${format}`), format).to.contain(MARKS[0]);
      const at = content.indexOf(picture);
      content[at] = (content[at] ?? 0) ^ 1;
      expect(await opened(content, `a.${format}`), format).to.equal('damaged_part');
    }
  });

  it('an embedded object, unless there is a picture of it', async () => {
    const object = { ...whole.get('ods'), 'Object 1/content.xml': Buffer.from('<a') };
    const names = ['Object 1/content.xml', 'ObjectReplacements/Object 1'] as const;
    expect(await opened(zip(listed(object, names[0])), 'a.ods')).to.equal('damaged_part');
    const shown = listed({ ...object, [names[1]]: randomBytes(20) }, ...names);
    expect(await opened(zip(shown), 'a.ods')).to.contain(MARKS[0]);
  });

  it('a part on the side may be damaged', async () => {
    for (const [format, part] of [
      ['docx', 'docProps/app.xml'],
      ['odt', 'settings.xml'],
      ['xlsx', 'docProps/core.xml'],
    ] as const) {
      const content = zip({ ...whole.get(format), [part]: Buffer.from('<a') });
      expect(await opened(content, `a.${format}`), format).to.contain(MARKS[0]);
    }
  });

  it('whatever is missing, cut, exchanged or misnamed: all of the content arrives, or a refusal', async () => {
    const kinds = ['cut', 'drop', 'empty', 'exchange', 'misname', 'end early'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PACKAGES),
        fc.constantFrom(...kinds),
        fc.constantFrom(...PACKAGES),
        fc.nat(),
        fc.nat(),
        async (format, kind, other, first, second) => {
          const parts = { ...whole.get(format) } as Parts;
          const names = Object.keys(parts).filter((name) => !name.endsWith('/'));
          const name = names[first % names.length] as string;
          const partner = names[second % names.length] as string;
          const part = parts[name] as Uint8Array;
          if (kind === 'cut') parts[name] = part.subarray(0, second % (part.length + 1));
          if (kind === 'drop') delete parts[name];
          if (kind === 'empty') parts[name] = new Uint8Array();
          if (kind === 'exchange') [parts[name], parts[partner]] = [parts[partner] as Uint8Array, part];
          const content = zip(parts);
          const sent = kind === 'end early' ? content.subarray(0, second % content.length) : content;
          const made = await opened(sent, `a.${kind === 'misname' ? other : format}`);
          if (/^[a-z_]+$/.test(made)) return;
          for (const mark of MARKS) expect(made, `${kind} ${name} ${partner}`).to.contain(mark);
        },
      ),
      { numRuns: 120, seed: 7 },
    );
  });
});

/** The manifest of a package of OpenDocument names these parts, too: LibreOffice takes it for broken otherwise. */
function listed(parts: Parts, ...names: readonly string[]): Parts {
  const manifest = 'META-INF/manifest.xml';
  const entries = names.map((name) => `<manifest:file-entry manifest:full-path="${name}" manifest:media-type=""/>`);
  const text = Buffer.from(parts[manifest] ?? []).toString();
  return { ...parts, [manifest]: Buffer.from(text.replace(/<\/manifest:manifest>/, `${entries.join('')}$&`)) };
}

function halfOf(part: Uint8Array | undefined): Uint8Array {
  return part?.subarray(0, part.length >> 1) ?? new Uint8Array();
}

function withTag(part: Uint8Array | undefined): Uint8Array {
  const text = Buffer.from(part ?? []).toString();
  const end = text.lastIndexOf('</');
  return Buffer.from(`${text.slice(0, end)}<b>${text.slice(end)}`);
}
