import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { parseXml } from '../../../../cmd/docbuilder/extract/xml.ts';
import type { Family } from '../../../../cmd/docbuilder/formats.ts';
import { processorTime } from '../../../support/processor-time.ts';
import { extract, extractor, failure, flatOf, withFile } from './flat.ts';

const MiB = 2 ** 20;
const tooLarge = { code: 'file_too_large', detail: { limit_mb: 10, subject: 'output' } };
const corrupt = (reason: string) => ({ code: 'corrupt_source', detail: { reason } });
const nested = (open: string, inner: string, depth: number) =>
  `${open.repeat(depth)}${inner}${`</${/\w+:[\w-]+/.exec(open)?.[0]}>`.repeat(depth)}`;
const sheet = (rows: string) => ({ body: `<table:table table:name="A">${rows}</table:table>` });

describe('a flat document that attacks its reader', () => {
  it('may nest a hundred thousand spans', async () => {
    const body = `<text:p>a${nested('<text:span text:style-name="T1">', 'b', 100_000)}c</text:p>`;
    expect((await extract('text', { body })).text).to.equal('abc');
  }).timeout(10_000);

  for (const [what, open] of [
    ['tables', '<table:table><table:table-row><table:table-cell>'],
    ['frames', '<draw:frame><draw:text-box><text:p>'],
    ['lists', '<text:list><text:list-item>'],
    ['notes', '<text:p><text:note><text:note-body>'],
  ] as const) {
    it(`may nest thousands of ${what}`, async () => {
      const names = [...open.matchAll(/<([\w:-]+)/g)].map(([, name]) => name).reverse();
      const close = names.map((name) => `</${name}>`).join('');
      const body = `${open.repeat(5000)}<text:p>ở trong</text:p>${close.repeat(5000)}`;
      expect((await extract('text', { body })).text).to.contain('ở trong');
    });
  }

  it('cannot nest groups of a slide to exhaust the stack', async () => {
    const shape = '<draw:custom-shape svg:x="1cm" svg:y="1cm"><text:p>a</text:p></draw:custom-shape>';
    const body = `<draw:page draw:name="T">${nested('<draw:g>', shape, 20_000)}</draw:page>`;
    expect((await extract('slides', { body })).text).to.equal('T\na');
  });

  it('cannot have a place that takes longer to read than to write', async () => {
    const shape = `<draw:custom-shape draw:transform="translate (${','.repeat(50_000)}"><text:p>a</text:p></draw:custom-shape>`;
    const spent = processorTime();
    expect((await extract('slides', { body: `<draw:page draw:name="T">${shape}</draw:page>` })).text).to.equal('T\na');
    expect(spent()).to.be.lessThan(2000);
  });

  it('cannot make billions of cells of one', async () => {
    const cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>';
    const rows = `<table:table-row table:number-rows-repeated="1048576">${cell}</table:table-row>`;
    expect(await failure(extract('sheet', sheet(rows)))).to.deep.equal(tooLarge);
    // Cut off early it is a beginning like any other.
    const found = await extract('sheet', sheet(rows), { maxChars: 5 });
    expect(found).to.deep.include({ truncated: true, text: 'A\nx\tx\tx' });
    const meta = await withFile(flatOf('sheet', sheet(rows)), (path) =>
      extractor.meta(path, 'sheet', { facts: { format: 'ods', encrypted: false, macros: false, size: 1, pages: 1 } }),
    );
    expect(meta.sheets).to.equal(1);
  });

  it('cannot put a cell behind billions of empty ones', async () => {
    const empty = '<table:table-cell table:number-columns-repeated="1000000000000"/>';
    const rows = `<table:table-row>${empty}<table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>`;
    expect(await failure(extract('sheet', sheet(rows)))).to.deep.equal(tooLarge);
    const below = '<table:table-row table:number-rows-repeated="9007199254740991"/>';
    const last = '<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>';
    expect(await failure(extract('sheet', sheet(below + last)))).to.deep.equal(tooLarge);
  });

  it('cannot make more text than the limit says', async () => {
    const body = `<text:p>${'ă'.repeat(100)}</text:p>`.repeat(20);
    expect(await failure(extract('text', { body }, { maxBytes: 2 * 1000 }))).to.have.property('code', 'file_too_large');
    expect((await extract('text', { body }, { maxBytes: 5000 })).text).to.have.lengthOf(20 * 101 - 1);
    const spaces = '<text:s text:c="4000"/>'.repeat(3000);
    expect(await failure(extract('text', { body: `<text:p>${spaces}</text:p>` }))).to.deep.equal(tooLarge);
  });

  it('has no entities of its own, and no document type', async () => {
    const inner = flatOf('text', { body: '<text:p>&a;</text:p>' });
    const dtd = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY f SYSTEM "file:///etc/passwd">]>';
    const withDtd = inner.replace('?>', `?>${dtd}`);
    expect(await failure(extract('text', withDtd))).to.deep.equal(corrupt('doctype'));
    expect(await failure(extract('text', inner))).to.deep.equal(corrupt('malformed_xml'));
  });

  for (const [what, content] of [
    ['cut off', flatOf('text', { body: '<text:p>a</text:p>' }).slice(0, -20)],
    ['wrongly nested', flatOf('text', { body: '<text:p><text:span>a</text:p></text:span>' })],
    ['not UTF-8', Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0xfe, 0x3c, 0x2f, 0x61, 0x3e])],
  ] as const) {
    it(`is refused if its content is ${what}`, async () => {
      expect(await failure(extract('text', content))).to.deep.equal(corrupt('malformed_xml'));
    });
  }

  it('may have pictures of any size, which are not read', async () => {
    const picture = (bytes: string) =>
      `<draw:frame><draw:image><office:binary-data>${bytes}</office:binary-data></draw:image></draw:frame>`;
    // Marks that end up on the border of two pieces, wherever that is.
    const body = [0, 1, 65_500, 65_536, 200_000]
      .flatMap((size) =>
        Array.from({ length: 25 }, (_, more) => `<text:p>${picture('&'.repeat(size + more))}ở</text:p>`),
      )
      .join('');
    const { text } = await extract('text', { body });
    expect(text).to.equal(Array(125).fill('ở').join('\n'));
  });

  it('is known by its namespaces, not by its prefixes', async () => {
    const body = '<x:p>a<x:s x:c="2"/>b</x:p><text:p>X</text:p>';
    const content = flatOf('text', { body }).replace('xmlns:text=', 'xmlns:text="urn:other" xmlns:x=');
    expect((await extract('text', content)).text).to.equal('a  b');
  });

  it('ends when it is told to, and lets others have their turn until then', async () => {
    const bytes = flatOf('text', { body: `<text:p>${'chữ '.repeat(10)}</text:p>`.repeat(200_000) });
    const aborted = new AbortController();
    const reason = new Error('enough');
    let turns = 0;
    let longest = 0;
    let isDone = false;
    const others = async () => {
      for (let last = performance.now(); !isDone; last = performance.now()) {
        await setImmediate();
        longest = Math.max(longest, performance.now() - last);
        if (++turns === 30) aborted.abort(reason);
      }
    };
    const watching = others();
    const outcome = await withFile(bytes, (path) =>
      extractor.text(path, 'text', { maxBytes: 100 * MiB, signal: aborted.signal }),
    ).catch((error: unknown) => error);
    isDone = true;
    await watching;
    expect(outcome).to.equal(reason);
    expect(turns).to.be.greaterThan(29);
    // A few milliseconds on a quiet machine; the whole would take a second.
    expect(longest).to.be.lessThan(250);
  });

  it('that never ends is left when it is told to', async () => {
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from('<a>');
      for (;;) yield Buffer.from('<b>c</b>'.repeat(1000));
    }
    const signal = AbortSignal.timeout(20);
    const ignore = { open() {}, close() {}, text() {} };
    const outcome = await parseXml(endless(), ignore, signal).catch((error: unknown) => error);
    expect(outcome).to.equal(signal.reason);
  });

  for (const family of ['text', 'sheet', 'slides'] as Family[]) {
    it(`is not begun for a signal that is aborted already (${family})`, async () => {
      const signal = AbortSignal.abort(new Error('gone'));
      const outcome = await extract(family, { body: '' }, { signal }).catch((error: unknown) => error);
      expect(outcome).to.have.property('message', 'gone');
    });
  }
});
