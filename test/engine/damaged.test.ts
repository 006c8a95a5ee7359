import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { EngineFailure } from '../../cmd/docbuilder/engine/task.ts';
import type { SourceFormat } from '../../cmd/docbuilder/formats.ts';
import { zip } from '../../scripts/support/documents.ts';
import { useFolder } from '../support/folder.ts';
import { verdict } from '../support/inspect.ts';
import { findFailure, fodp, fods, fodt, paragraph, row, slide, useBench } from './support.ts';

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
  const bench = useBench();
  const folder = useFolder();
  const whole = new Map<Package, Parts>();
  before(async () => {
    const flat: [content: string, from: SourceFormat, to: readonly Package[]][] = [
      [fodt(MARKS.map(paragraph).join('')), 'fodt', ['docx', 'odt']],
      [fods(MARKS.map((mark) => row(mark)).join('')), 'fods', ['xlsx', 'ods']],
      [fodp(MARKS.map((mark) => slide(mark)).join('')), 'fodp', ['pptx', 'odp']],
    ];
    for (const [content, from, targets] of flat)
      for (const to of targets) whole.set(to, unzipSync((await bench.convert(content, from, to)).bytes));
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

  /** Replaces a part of a package, or takes it away. */
  function changed(format: Package, part: string, change: (bytes: Uint8Array) => Uint8Array | undefined): Buffer {
    const { [part]: bytes, ...others } = whole.get(format) as Parts;
    if (!bytes) throw new Error(`${format} has no ${part}`);
    const made = change(bytes);
    return zip(made ? { ...others, [part]: made } : others);
  }

  const damage: [what: string, change: (bytes: Uint8Array) => Uint8Array | undefined][] = [
    ['half of its content', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['empty content', () => new Uint8Array()],
    ['an unclosed tag in its content', openTag],
    ['another part as its content', () => Buffer.from('<a/>')],
    ['no content', () => undefined],
  ];
  it('content that is damaged or not there is refused', async () => {
    for (const format of PACKAGES) {
      for (const [what, change] of damage) {
        const found = await opened(changed(format, CONTENT[format], change), `a.${format}`);
        expect(found, `${format} with ${what}`).to.equal('damaged_part');
      }
    }
  });

  it('parts that the content needs have to be there', async () => {
    for (const [format, part] of [
      ['xlsx', 'xl/_rels/workbook.xml.rels'],
      ['xlsx', 'xl/sharedStrings.xml'],
      ['xlsx', 'xl/styles.xml'],
      ['pptx', 'ppt/_rels/presentation.xml.rels'],
      ['pptx', 'ppt/slideMasters/slideMaster1.xml'],
      ['pptx', 'ppt/slideLayouts/_rels/slideLayout1.xml.rels'],
    ] as const) {
      const content = changed(format, part, () => undefined);
      expect(await opened(content, `a.${format}`), part).to.equal('damaged_part');
    }
  });

  it('a picture that is not the one that was packed is refused', async () => {
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

  it('an embedded object is refused, unless there is a picture of it', async () => {
    const object = { ...whole.get('ods'), 'Object 1/content.xml': Buffer.from('<a') };
    const names = ['Object 1/content.xml', 'ObjectReplacements/Object 1'] as const;
    expect(await opened(zip(listed(object, names[0])), 'a.ods')).to.equal('damaged_part');
    const shown = listed({ ...object, [names[1]]: randomBytes(20) }, ...names);
    expect(await opened(zip(shown), 'a.ods')).to.contain(MARKS[0]);
  });

  it('what cannot be opened at all costs no worker', async () => {
    const restarts = bench.restarts();
    for (const [from, reason] of Object.entries({ fodt: 'corrupt', docx: 'damaged_part' }))
      expect(await findFailure(bench.convert('<office:document', from as SourceFormat, 'pdf'))).to.include({ reason });
    await bench.convert(fodt(paragraph('x')), 'fodt', 'pdf');
    expect(bench.restarts()).to.equal(restarts);
  });

  it('a part on the side may be damaged', async () => {
    for (const [format, part] of [
      ['docx', 'docProps/app.xml'],
      ['odt', 'settings.xml'],
      ['xlsx', 'docProps/core.xml'],
    ] as const) {
      const content = changed(format, part, () => Buffer.from('<a'));
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
      { numRuns: 80, seed: 7 },
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

function openTag(part: Uint8Array): Uint8Array {
  const text = Buffer.from(part).toString();
  const end = text.lastIndexOf('</');
  return Buffer.from(`${text.slice(0, end)}<b>${text.slice(end)}`);
}
