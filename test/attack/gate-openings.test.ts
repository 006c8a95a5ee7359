import { expect } from 'chai';
import fc from 'fast-check';
import { type Opening, parseRawUri } from '../../cmd/gate/domain/raw-uri.ts';
import { createWopiSrcReader } from '../../cmd/gate/domain/wopi-src.ts';
import { parseUpgrade } from '../../examples/editor/uri.ts';
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
} from '../support/gate-openings.ts';

const TOKEN = 'AbC-_'.repeat(8);
const read = createWopiSrcReader(WOPI_URL);
const parse = (uri: string, stage = 'ws'): Opening | undefined => parseRawUri(uri, stage, read);
const ours: Opening = { wopiSrc: toWopiSrc(DOC), docId: DOC, token: TOKEN, permission: null };

const T = 'tok';
const source = toWopiSrc(DOC);
const doc = escaped(`${source}?access_token=${T}`);
const src = escaped(source);
const other = escaped(toWopiSrc(OTHER_DOC));
const q = `WOPISrc=${src}&access_token=${T}`;

/** Spellings that some reader, ours or the editor's or a proxy's, could take for an editing socket or page. */
const SOCKETS: Record<string, string> = {
  'no document': '/cool/ws',
  'an empty document': '/cool//ws',
  'a document that is ws': `/cool/ws/ws?${q}`,
  'the query form behind a question mark': `/cool/?ws/&${q}`,
  'the query form without a path': `/cool?ws&${q}`,
  'two slashes in front': `//cool//${doc}/ws`,
  'two slashes inside': `/cool//${doc}/ws`,
  'two slashes before ws': `/cool/${doc}//ws`,
  'dots behind': `/cool/${doc}/ws/anything/..`,
  'dots inside': `/cool/${doc}/x/../ws`,
  'dots in front': `/hosting/../cool/${doc}/ws`,
  'escaped dots in front': `/hosting/%2e%2e/cool/${doc}/ws`,
  'a semicolon': `/cool/${doc}/ws;a=1`,
  'ws in capitals': `/cool/${doc}/WS`,
  'cool in capitals': `/COOL/${doc}/ws`,
  'ws escaped': `/cool/${doc}/%77s`,
  lool: `/lool/${doc}/ws`,
  'hexadecimal digits': `/cool/0x${Buffer.from(doc).toString('hex')}/ws`,
  'hexadecimal digits, capital X': `/cool/0X${Buffer.from(doc).toString('hex')}/ws`,
  'hexadecimal digits in the query': `/cool/${doc}/ws?x=cool/0x2f`,
  'another document in WOPISrc': `/cool/${doc}/ws?WOPISrc=${other}`,
  'two documents in WOPISrc': `/cool/ws?${q}&WOPISrc=${other}`,
  'WOPISrc in small letters too': `/cool/ws?${q}&wopisrc=${other}`,
  'WOPISrc escaped': `/cool/ws?%57OPISrc=${src}&access_token=${T}`,
  'WOPISrc as an array': `/cool/ws?WOPISrc[]=${src}&access_token=${T}`,
  'a second question mark': `/cool/ws?a=1?${q}`,
  '?ws with more behind': `/cool/${doc}?ws&WOPISrc=${src}`,
  '?ws and a path': `/cool/${doc}?ws/x`,
  'two tokens': `/cool/ws?${q}&access_token=x`,
  'two tokens, inside and out': `/cool/${doc}/ws?access_token=x`,
  'two tokens, both inside': `/cool/${escaped(`${source}?access_token=a&access_token=b`)}/ws`,
  'two permissions': `/cool/ws?${q}&permission=edit&permission=readonly`,
  'a permission outside of the document': `/cool/${doc}/ws?permission=readonly`,
  'an unknown permission': `/cool/ws?${q}&permission=READONLY`,
  'an escaped permission': `/cool/ws?${q}&permission=%72eadonly`,
  'a permission in WOPISrc': `/cool/ws?WOPISrc=${escaped(`${FOREIGN}?permission=readonly`)}&access_token=${T}`,
  'a token in WOPISrc': `/cool/ws?WOPISrc=${escaped(`${source}?access_token=x`)}&access_token=${T}`,
  'a permission that shows when decoded again': socket25(FOREIGN, T, 1, '%26permission%3Dreadonly'),
  'a query that shows when decoded again': `/cool/${escaped(`${source}%3Faccess_token=${T}`)}/ws`,
  'a null byte': `/cool/ws?${q}%00`.replace(DOC, `${DOC}%00`),
  'a line break': `/cool/ws?WOPISrc=${src}%0d%0a&access_token=${T}`,
  'a bare line break': `/cool/ws?${q}\r\nX: y`,
  'a space': `/cool/ws ?${q}`,
  'a fragment': `/cool/${doc}/ws#x`,
  'an escaped fragment': `/cool/ws?WOPISrc=${escaped(`${source}#x`)}&access_token=${T}`,
  'a backslash': `/cool/${doc}\\ws`,
  'an escaped backslash': socket26('https://cloud.example/a\\b', T),
  'letters beyond ASCII': `/cool/${doc}/ws?x=é`,
  'overlong UTF-8': `/cool/ws?WOPISrc=${src}%C0%AF&access_token=${T}`,
  'half an escape': `/cool/ws?WOPISrc=${src}%2&access_token=${T}`,
  'a plus in WOPISrc': `/cool/ws?WOPISrc=${src}+&access_token=${T}`,
  'five times escaped': socket25(source, T, 5),
  overlong: socket26(FOREIGN, 'x'.repeat(9000)),
  'the absolute form': `http://front${socket26(source, T)}`,
  'the empty text': '',
  'an asterisk': '*',
  'two at once': `/cool/ws?${q}, /cool/ws?${q}`,
  'a page': page(source),
  'an escaped question mark': socket26('https://cloud.example/a%3Fb', T),
  'an escape that was escaped': socket26('https://cloud.example/a%2520b', T),
  'dots that were escaped twice': socket26('https://cloud.example/x%252e%252e%252f..', T),
  'dots in the path of another host': socket26('https://cloud.example/a/../b', T),
  'a token of odd letters for a document of ours': socket26(source, 'a%2Fb'),
  'a scheme in capitals': socket26(`HTTP://gate:8081/svc/wopi/files/${DOC}`, T),
  'another scheme': socket26('file:///etc/passwd', T),
  'our host by https': socket26(`https://gate:8081/svc/wopi/files/${DOC}`, T),
  'our host with a user': socket26(`http://x@gate:8081/svc/wopi/files/${DOC}`, T),
  'our host with a dot': socket26(`http://gate.:8081/svc/wopi/files/${DOC}`, T),
  'our host by its address': socket26(`http://10.0.0.7:8081/svc/wopi/files/${DOC}`, T),
  'our host, another port': socket26(`http://gate:18081/svc/wopi/files/${DOC}`, T),
  'our host, dots in the path': socket26(`http://gate:8081/svc/wopi/files/x/../${DOC}`, T),
  'our host, two slashes in the path': socket26(`http://gate:8081/svc//wopi/files/${DOC}`, T),
  'our host, a slash at the end': socket26(`${source}/`, T),
  'our host, contents': socket26(`${source}/contents`, T),
  'our host, capitals in the path': socket26(`http://gate:8081/SVC/wopi/files/${DOC}`, T),
  'our host, capitals in the id': socket26(toWopiSrc(DOC.toUpperCase().replace('DOC', 'doc')), T),
  'our host, an escaped id': `/cool/ws?WOPISrc=${escaped(source.replace('doc_', 'doc%5F'))}&access_token=${T}`,
  'our host, a cut id': socket26(source.slice(0, -1), T),
  'our host, a port with a zero before it': socket26(`http://gate:08081/svc/wopi/files/${DOC}`, T),
  'our host, another path': socket26('http://gate:8081/other', T),
};

const PAGES: Record<string, string> = {
  'no WOPISrc': '/browser/abc/cool.html',
  'two slashes': `/${page(source)}`,
  'no hash': `/browser/cool.html?WOPISrc=${src}`,
  'dots for a hash': `/browser/../cool.html?WOPISrc=${src}`,
  'a deeper path': `/browser/abc/x/cool.html?WOPISrc=${src}`,
  'an escaped letter': `/browser/abc/c%6Fol.html?WOPISrc=${src}`,
  'another page': `/browser/abc/admin.html?WOPISrc=${src}`,
  'two documents': page(source, `&WOPISrc=${other}`),
  'a socket': socket26(source, T),
};

describe('an opening that is spelled to be read in two ways', () => {
  const cases: [string, Record<string, string>][] = [
    ['ws', SOCKETS],
    ['page', PAGES],
  ];
  for (const [stage, spellings] of cases) {
    for (const [name, uri] of Object.entries(spellings)) {
      it(`is refused (${stage}): ${name}`, () => {
        expect(parse(uri, stage)).to.equal(undefined);
      });
    }
  }

  it('is refused for its spelling, since without it the same is read', () => {
    for (const uri of [`/cool/${doc}/ws`, `/cool/ws?${q}`, `/cool/${doc}?ws`, socket26(FOREIGN, T)]) {
      expect(parse(uri), uri).to.not.equal(undefined);
    }
    expect(parse(page(source), 'page')).to.not.equal(undefined);
  });
});

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
        // URL drops a blank at the end.
        const { href } = new URL(upgrade.uri.wopiSrc.replaceAll(' ', '%20'));
        expect(decodeURIComponent(href), uri).to.equal(opening.wopiSrc);
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
