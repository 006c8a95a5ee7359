import { expect } from 'chai';
import { createExtractor } from '../../../../cmd/docbuilder/extract/extractor.ts';
import { readMeta } from '../../../../cmd/docbuilder/extract/meta.ts';
import { failure } from '../../../support/failure.ts';
import { processorTime } from '../../../support/processor-time.ts';
import { longestWait } from '../../../support/turns.ts';
import { extract, toFlat, withFile } from './flat.ts';

const tooLarge = { code: 'file_too_large', detail: { limit_mb: 10, subject: 'output' } };
const malformed = { code: 'corrupt_source', detail: { reason: 'malformed_xml' } };
const sheet = (rows: string) => ({ body: `<table:table table:name="A">${rows}</table:table>` });
const cell = (times: number) =>
  `<table:table-cell table:number-columns-repeated="${times}"><text:p>x</text:p></table:table-cell>`;
const picture = (base64: string) =>
  `<draw:frame><draw:image><office:binary-data>${base64}</office:binary-data></draw:image></draw:frame>`;

describe('a flat document that attacks its reader', () => {
  for (const [what, open, depth] of [
    ['spans', '<text:p><text:span text:style-name="T1">', 30_000],
    ['tables', '<table:table><table:table-row><table:table-cell>', 5000],
    ['frames', '<draw:frame><draw:text-box><text:p>', 5000],
    ['lists', '<text:list><text:list-item>', 5000],
    ['notes', '<text:p><text:note><text:note-body>', 5000],
    ['groups of a slide', '<draw:g>', 20_000],
  ] as const) {
    it(`may nest thousands of ${what}`, async () => {
      const names = [...open.matchAll(/<([\w:-]+)/g)].map(([, name]) => name).reverse();
      const close = names.map((name) => `</${name}>`).join('');
      const shape = '<draw:custom-shape><text:p>ở trong</text:p></draw:custom-shape>';
      const body = `${open.repeat(depth)}${shape}${close.repeat(depth)}`;
      const found = await (open === '<draw:g>'
        ? extract('slides', { body: `<draw:page>${body}</draw:page>` })
        : extract('text', { body }));
      expect(found.text).to.contain('ở trong');
    }).timeout(60_000);
  }

  it('cannot have a place that takes longer to read than to write', async () => {
    const shape = `<draw:custom-shape draw:transform="translate (${','.repeat(50_000)}"><text:p>a</text:p></draw:custom-shape>`;
    const spent = processorTime();
    expect((await extract('slides', { body: `<draw:page draw:name="T">${shape}</draw:page>` })).text).to.equal('T\na');
    expect(spent()).to.be.lessThan(2000);
  });

  const row = (cells: string, times = 1) =>
    `<table:table-row table:number-rows-repeated="${times}">${cells}</table:table-row>`;
  for (const [what, rows] of [
    ['billions of cells of one', row(cell(16_384), 1_048_576)],
    ['billions of empty cells', row(`<table:table-cell table:number-columns-repeated="1000000000000"/>${cell(1)}`)],
    ['billions of empty rows', row('', Number.MAX_SAFE_INTEGER) + row(cell(1))],
  ] as const) {
    it(`cannot make ${what}, and has its metadata`, async () => {
      expect(await failure(extract('sheet', sheet(rows)))).to.deep.include(tooLarge);
      const facts = { format: 'ods', encrypted: true, macros: false, size: 1, pages: 1 } as const;
      const meta = await withFile(toFlat('sheet', sheet(rows)), (path) =>
        readMeta({ path, family: 'sheet', source: path, facts }),
      );
      expect(meta.sheets).to.equal(1);
    });
  }

  it('cannot make more text than the limit says', async () => {
    const body = `<text:p>${'ă'.repeat(100)}</text:p>`.repeat(20);
    expect(await failure(extract('text', { body }, 2000))).to.have.property('code', 'file_too_large');
    expect((await extract('text', { body }, 5000)).text).to.have.lengthOf(20 * 101 - 1);
    const spaces = '<text:s text:c="999999999"/>'.repeat(3000);
    expect(await failure(extract('text', { body: `<text:p>${spaces}</text:p>` }))).to.deep.include(tooLarge);
  });

  const entity = toFlat('text', { body: '<text:p>&a;</text:p>' });
  const DTD = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY f SYSTEM "file:///etc/passwd">]>';
  for (const [what, content, expected] of [
    ['declares entities', entity.replace('?>', `?>${DTD}`), { code: 'corrupt_source', detail: { reason: 'doctype' } }],
    ['uses entities', entity, malformed],
    ['is cut off', entity.replace('&a;', '').slice(0, -20), malformed],
    ['is wrongly nested', toFlat('text', { body: '<text:p><text:span>a</text:p></text:span>' }), malformed],
    ['is not UTF-8', Buffer.from('<a>\xff\xfe</a>', 'latin1'), malformed],
  ] as const) {
    it(`is refused if it ${what}`, async () => {
      expect(await failure(extract('text', content))).to.deep.include(expected);
    });
  }

  it('may have pictures of any size, of which the first megabyte is read', async () => {
    // Marks are on the border of two pieces, wherever that is.
    const around = (size: number) => Array.from({ length: 25 }, (_, more) => size + more);
    const sizes = [...[0, 65_500, 65_536].flatMap(around), 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1];
    const body = sizes.map((size) => `<text:p>${picture('A'.repeat(size))}ở</text:p>`).join('');
    expect((await extract('text', { body }, 1e9)).text).to.equal(sizes.map(() => 'ở').join('\n'));
    const record = '09000000320a000000000100000078000100';
    const metafile = `010009000003000000000200280000000000${record.repeat(200_000)}030000000000`;
    const many = Buffer.from(metafile, 'hex').toString('base64');
    const { text } = await extract('text', { body: `<text:p>a${picture(many)}</text:p><text:p>b</text:p>` });
    expect(text).to.match(/^a\nx[x ]+\nb$/);
    expect(text.replaceAll(/[^x]/g, '')).to.have.length.within(30_000, 100_000);
  }).timeout(60_000);

  it('cannot have a metafile whose marks on one letter take longer to sort than to read', async () => {
    const text = Buffer.from(`a${'\u0323\u0301'.repeat(80_000)}`, 'utf16le');
    // MS-EMF 2.3.4.2 and 2.3.5.7: the beginning of a header, and a text.
    const bytes = Buffer.alloc(108 + 76);
    const size = 76 + text.length;
    for (const [at, value] of [
      [0, 1],
      [4, 108],
      [108, 84],
      [112, size],
      [152, text.length / 2],
      [156, 76],
    ] as const) {
      bytes.writeUInt32LE(value, at);
    }
    const spent = processorTime();
    const shown = await extract('text', {
      body: `<text:p>${picture(Buffer.concat([bytes, text]).toString('base64'))}</text:p>`,
    });
    expect(shown.text).to.have.length.within(80_000, 160_001);
    expect(spent()).to.be.lessThan(2_000);
  }).timeout(120_000);

  it('lets others have their turn while it is read, and ends when it is told to', async () => {
    const bytes = toFlat('text', { body: `<text:p>${'chữ '.repeat(10)}</text:p>`.repeat(150_000) });
    const extractor = createExtractor();
    await withFile(bytes, async (path) => {
      const task = { path, family: 'text', format: 'txt', maxBytes: 2e8 } as const;
      const reason = new Error('gone');
      const ended = AbortSignal.abort(reason);
      expect(await extractor.writeText({ ...task, target: `${path}.0` }, ended).catch((error) => error)).to.equal(
        reason,
      );
      const never = new AbortController();
      const spent = processorTime();
      const { longest } = await longestWait(() => extractor.writeText({ ...task, target: `${path}.1` }, never.signal));
      const whole = spent();
      expect(longest).to.be.lessThan(whole / 2);
      const later = new AbortController();
      setImmediate(() => later.abort(reason));
      const again = processorTime();
      const outcome = await extractor.writeText({ ...task, target: `${path}.2` }, later.signal).catch((error) => error);
      expect(outcome).to.equal(reason);
      expect(again()).to.be.lessThan(whole / 4);
    });
    await extractor.stop();
  }).timeout(60_000);
});
