import { expect } from 'chai';
import { checkEditor } from '../../../cmd/local/editor-check.ts';
import { freePorts } from '../../../cmd/local/port.ts';
import { type StandInEditor, startEditor } from '../../../examples/editor/editor.ts';
import type { EditorOptions } from '../../../examples/editor/options.ts';
import { startCanary } from '../../support/canary.ts';

const ADDRESS = 'http://localhost:8080';
const PASSWORD = 'editor-password';
type Checked = Parameters<typeof checkEditor>[0];

describe('the check of an editor that runs', () => {
  let gate: Awaited<ReturnType<typeof startCanary>>;
  let editor: StandInEditor | undefined;
  const wopiUrl = () => `http://127.0.0.1:${gate.port}`;

  before(async () => {
    gate = await startCanary((request, response) => {
      response.statusCode = request.url === '/svc/healthz' ? 200 : 404;
      response.end();
    });
  });
  after(() => gate.close());
  afterEach(async () => {
    await editor?.stop();
    editor = undefined;
  });

  async function check(options: Partial<EditorOptions>, more: Partial<Checked> = {}) {
    editor = await startEditor({
      ...{ host: '127.0.0.1', port: 0, admin: { user: 'admin', password: PASSWORD }, serverName: 'localhost:8080' },
      ...{ wopiAllow: ['127.0.0.1'], frameAncestors: ['localhost:*', 'portal.example'], ...options },
    });
    return checkEditor({
      ...{ url: editor.url, user: 'admin', password: PASSWORD, address: ADDRESS, wopiUrl: wopiUrl() },
      origins: [ADDRESS, 'http://127.0.0.1:8080', 'http://portal.example', '*'],
      ...more,
    });
  }

  it('finds nothing wrong with a good one, also on the usual port of HTTP, which addresses leave out', async () => {
    expect(await check({})).to.deep.equal([]);
    await editor?.stop();
    expect(await check({ serverName: 'localhost' }, { address: 'http://localhost:80', origins: [] })).to.deep.equal([]);
  });

  it('tells that nobody answers, and nothing that follows from it', async () => {
    const [port] = await freePorts(1);
    const [sentence = '', ...others] = await check({}, { url: `http://127.0.0.1:${port}` });
    expect(others).to.deep.equal([]);
    expect(sentence).to.match(/^No editor answers at http:\/\/127\.0\.0\.1:\d+\/hosting\/discovery: .*ECONNREFUSED/);
  });

  const address = (named: string) =>
    `Its discovery names ${named}, but browsers find it at ${ADDRESS}: set server_name=localhost:8080, ssl.enable=false and ssl.termination=false.`;
  const channel = (why: string) => `The admin channel does not work, so the gate cannot see who edits: ${why}.`;
  const FAULTS: [what: string, options: Partial<EditorOptions>, more: Partial<Checked>, sentence: string | RegExp][] = [
    ['discovery that fails', { faults: { discovery: 'error' } }, {}, /^No editor answers.*the answer is 500/],
    ['discovery that is no XML', { faults: { discovery: 'broken' } }, {}, /^No editor answers.*unclosed tag/s],
    ['another address in discovery', { serverName: 'localhost:9980' }, {}, address('http://localhost:9980')],
    ['another scheme in discovery', { sslTermination: true }, {}, address('https://localhost:8080')],
    [
      'a wrong password',
      {},
      { password: 'other' },
      channel('the editor refuses SVC_ONLINE_ADMIN_USER or SVC_ONLINE_ADMIN_PASSWORD'),
    ],
    ['no password', {}, { password: '' }, channel('SVC_ONLINE_ADMIN_PASSWORD is not set')],
    ['an editor without a console', { admin: null }, {}, channel('the admin console answered 403')],
    [
      'an editor for documents of another host only',
      { wopiAllow: ['gate.example'] },
      {},
      /^It refuses documents of this service: set aliasgroup1=http:\/\/127\.0\.0\.1:\d+\.$/,
    ],
    [
      'pages that may not frame it',
      {},
      { origins: [ADDRESS, 'https://other.example', 'http://localhost:8000'] },
      'It stays blank in pages of https://other.example: add other.example to frame-ancestors in net.content_security_policy.',
    ],
  ];
  for (const [what, options, more, sentence] of FAULTS) {
    it(`tells of ${what}`, async () => {
      const [found = '', ...others] = await check(options, more);
      expect(others).to.deep.equal([]);
      if (typeof sentence === 'string') expect(found).to.equal(sentence);
      else expect(found).to.match(sentence);
    });
  }

  it('tells that the editor does not reach the gate', async () => {
    const [port] = await freePorts(1);
    const [sentence = '', ...others] = await check({}, { wopiUrl: `http://127.0.0.1:${port}` });
    expect(others).to.deep.equal([]);
    expect(sentence).to.match(/^It does not reach the gate at http:\/\/127\.0\.0\.1:\d+ \(UnspecifiedError\)/);
  });

  it('tells all at once', async () => {
    const found = await check({ serverName: 'a.example', admin: null, wopiAllow: ['b.example'], frameAncestors: [] });
    expect(found).to.have.length(4);
  });
});
