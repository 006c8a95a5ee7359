import { expect } from 'chai';
import fc from 'fast-check';
import { type Opening, parseRawUri, type Stage } from '../../../cmd/gate/domain/raw-uri.ts';
import { createWopiSrcReader } from '../../../cmd/gate/domain/wopi-src.ts';
import { parseUpgrade } from '../../../examples/editor/uri.ts';
import {
  DOC,
  escaped,
  FOREIGN,
  OTHER_DOC,
  page,
  socket25,
  socket26,
  toWopiSrc,
  WOPI_URL,
} from '../../support/gate-openings.ts';

const TOKEN = 'AbC-_'.repeat(8);
const read = createWopiSrcReader(WOPI_URL);
const parse = (uri: string, stage: Stage = 'ws'): Opening | undefined => parseRawUri(uri, stage, read);
const ours: Opening = { wopiSrc: toWopiSrc(DOC), docId: DOC, token: TOKEN, permission: null };

describe('the raw URI', () => {
  it('of both WebSocket forms gives document, token and permission', () => {
    for (const uri of [
      socket25(toWopiSrc(DOC), TOKEN),
      socket26(toWopiSrc(DOC), TOKEN),
      `/cool/${escaped(`${toWopiSrc(DOC)}?access_token=${TOKEN}`)}?ws`,
      `/cool/ws/?WOPISrc=${escaped(toWopiSrc(DOC))}&access_token=${TOKEN}`,
    ]) {
      expect(parse(uri), uri).to.deep.equal(ours);
    }
    expect(parse(socket25(toWopiSrc(DOC), TOKEN, 1, '&permission=edit'))).to.deep.equal({
      ...ours,
      permission: 'edit',
    });
    expect(parse(socket26(toWopiSrc(DOC), TOKEN, '&permission=readonly'))?.permission).to.equal('readonly');
    expect(parse(socket26(toWopiSrc(DOC), TOKEN, '&permission='))?.permission).to.equal(null);
  });

  it('may have its document part escaped up to four times, and deeper segments', () => {
    for (const times of [1, 2, 3, 4]) expect(parse(socket25(toWopiSrc(DOC), TOKEN, times))).to.deep.equal(ours);
    expect(parse(socket25(toWopiSrc(DOC), TOKEN, 5))).to.equal(undefined);
    const start = `/cool/${escaped(`${toWopiSrc(DOC)}?access_token=${TOKEN}`, 2)}/ws`;
    for (const tail of ['', '/', '/a1', '/a1/open/0', '/a1/']) expect(parse(start + tail), tail).to.deep.equal(ours);
  });

  it('of a page has no token, and may name the document in any host', () => {
    expect(parse(page(toWopiSrc(DOC)), 'page')).to.deep.equal({ ...ours, token: null });
    expect(parse(page(toWopiSrc(DOC), '&permission=readonly'), 'page')?.permission).to.equal('readonly');
    expect(parse(page(FOREIGN), 'page')).to.deep.equal({
      wopiSrc: FOREIGN,
      docId: null,
      token: null,
      permission: null,
    });
    expect(parse(`/browser/1/cool.html?WOPISrc=${FOREIGN}`, 'page')?.wopiSrc).to.equal(FOREIGN);
  });

  it('of a foreign document gives one spelling of address and token', () => {
    const spelled = ['https://Cloud.Example:443/wopi/files/a b', 'https://cloud.example/wopi/files/a%20b'];
    for (const source of spelled) {
      expect(parse(socket26(source, 'x.y%2Bz'))).to.deep.equal({
        wopiSrc: 'https://cloud.example/wopi/files/a b',
        docId: null,
        token: 'x.y+z',
        permission: null,
      });
    }
    expect(parse(socket25(`${FOREIGN}`, 'x.y%2Bz'))?.token).to.equal('x.y+z');
  });

  it('of whatever kind is read without an exception, and never as another document than the editor would open', () => {
    const outcome = { read: 0, opened: 0 };
    fc.assert(
      fc.property(hostileUri(), (uri) => {
        const opening = parse(uri);
        parse(uri, 'page');
        const upgrade = parseUpgrade(uri);
        if (upgrade.kind === 'editing') outcome.opened += 1;
        if (!opening) return;
        outcome.read += 1;
        expect(opening.docId !== null, uri).to.equal(opening.wopiSrc.startsWith(WOPI_URL));
        if (upgrade.kind !== 'editing') return;
        expect(decodeURIComponent(new URL(upgrade.uri.wopiSrc).href), uri).to.equal(opening.wopiSrc);
      }),
      { numRuns: 10_000 },
    );
    // Neither all refused nor all plain: otherwise the property would say nothing.
    expect(outcome.read).to.be.greaterThan(500);
    expect(outcome.opened).to.be.greaterThan(outcome.read);
  });
});

/** Good URIs with a few things done to them. */
function hostileUri(): fc.Arbitrary<string> {
  const source = fc.constantFrom(
    toWopiSrc(DOC),
    toWopiSrc(OTHER_DOC),
    FOREIGN,
    `${FOREIGN}?x=1`,
    `${WOPI_URL}/svc/wopi/files/../files/${DOC}`,
    `http://GATE:8081/svc/wopi/files/${DOC}`,
    `http://gate:80/svc/wopi/files/${DOC}`,
    'https://cloud.example:443/a b',
    'https://cloud.example/%C3%A9%2F1',
  );
  const whole = fc.oneof(
    fc.tuple(source, fc.integer({ min: 1, max: 5 })).map(([text, times]) => socket25(text, TOKEN, times)),
    source.map((text) => socket26(text, TOKEN)),
    fc.tuple(source, source).map(([a, b]) => socket25(a, TOKEN).replace(/WOPISrc=[^&]*/, `WOPISrc=${escaped(b)}`)),
    source.map((text) => `/cool/${escaped(`${text}?access_token=${TOKEN}`)}?ws`),
    source.map((text) => `/cool/0x${Buffer.from(escaped(text)).toString('hex')}/ws`),
  );
  const bit = fc.constantFrom(
    ...'/ // ? & # % %2F %3F %00 %25 ws /ws ?ws .. \\ + ; @ WOPISrc= &permission=readonly cool/0x2f é %C0%AF 0 A'.split(
      ' ',
    ),
    ...[' ', '\u0000', '\r\n', `&WOPISrc=${escaped(toWopiSrc(OTHER_DOC))}`],
  );
  const change = fc.record({ at: fc.nat(400), cut: fc.nat(3), put: fc.oneof(bit, fc.string({ maxLength: 4 })) });
  return fc.tuple(whole, fc.array(change, { maxLength: 3 })).map(([uri, changes]) =>
    changes.reduce((text, { at, cut, put }) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + put + text.slice(start + cut);
    }, uri),
  );
}
