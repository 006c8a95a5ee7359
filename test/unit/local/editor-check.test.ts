import { expect } from 'chai';
import { checkEditor } from '../../../cmd/local/editor-check.ts';
import { freePorts } from '../../../cmd/local/port.ts';
import { type StandInEditor, startEditor } from '../../../examples/editor/editor.ts';
import type { EditorOptions } from '../../../examples/editor/options.ts';
import { startCanary } from '../../support/canary.ts';

const ADDRESS = 'http://localhost:8080';
const PASSWORD = 'editor-password';

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

  async function check(options: Partial<EditorOptions>, more: Partial<Parameters<typeof checkEditor>[0]> = {}) {
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

  it('finds nothing wrong with a good one', async () => {
    expect(await check({})).to.deep.equal([]);
  });

  it('finds nothing wrong with a good one on the usual port of HTTP, which addresses leave out', async () => {
    expect(await check({ serverName: 'localhost' }, { address: 'http://localhost:80', origins: [] })).to.deep.equal([]);
  });

  it('tells that nobody answers, and nothing that follows from it', async () => {
    const [port] = await freePorts(1);
    const [sentence = '', ...others] = await check({}, { url: `http://127.0.0.1:${port}` });
    expect(others).to.deep.equal([]);
    expect(sentence).to.match(/^No editor answers at http:\/\/127\.0\.0\.1:\d+\/hosting\/discovery: .*ECONNREFUSED/);
  });

  for (const [discovery, why] of [
    ['error', 'the answer is 500'],
    ['broken', 'unclosed tag'],
  ] as const) {
    it(`tells that discovery is no such document: ${discovery}`, async () => {
      const [sentence] = await check({ faults: { discovery } });
      expect(sentence)
        .to.match(/^No editor answers/)
        .and.contain(why);
    });
  }

  for (const options of [{ serverName: 'localhost:9980' }, { sslTermination: true }]) {
    it(`tells the address in discovery: ${JSON.stringify(options)}`, async () => {
      const named = options.serverName ? 'http://localhost:9980' : 'https://localhost:8080';
      expect(await check(options)).to.deep.equal([
        `Its discovery names ${named}, but browsers find it at ${ADDRESS}: set server_name=localhost:8080, ssl.enable=false and ssl.termination=false.`,
      ]);
    });
  }

  for (const [what, options, more, why] of [
    [
      'a wrong password',
      {},
      { password: 'other' },
      'the editor refuses SVC_ONLINE_ADMIN_USER or SVC_ONLINE_ADMIN_PASSWORD',
    ],
    ['no password', {}, { password: '' }, 'SVC_ONLINE_ADMIN_PASSWORD is not set'],
    ['an editor without a console', { admin: null }, {}, 'the admin console answered 403'],
  ] as const) {
    it(`tells that the admin channel does not work: ${what}`, async () => {
      expect(await check(options, more)).to.deep.equal([
        `The admin channel does not work, so the gate cannot see who edits: ${why}.`,
      ]);
    });
  }

  it('tells that the editor takes documents of another host only', async () => {
    expect(await check({ wopiAllow: ['gate.example'] })).to.deep.equal([
      `It refuses documents of this service: set aliasgroup1=${wopiUrl()}.`,
    ]);
  });

  it('tells that the editor does not reach the gate', async () => {
    const [port] = await freePorts(1);
    const [sentence = '', ...others] = await check({}, { wopiUrl: `http://127.0.0.1:${port}` });
    expect(others).to.deep.equal([]);
    expect(sentence).to.match(/^It does not reach the gate at http:\/\/127\.0\.0\.1:\d+ \(UnspecifiedError\)/);
  });

  it('tells which pages may not frame it', async () => {
    const origins = [ADDRESS, 'https://other.example', 'http://localhost:8000'];
    expect(await check({}, { origins })).to.deep.equal([
      'It stays blank in pages of https://other.example: add other.example to frame-ancestors in net.content_security_policy.',
    ]);
  });

  it('tells all at once', async () => {
    const found = await check({ serverName: 'a.example', admin: null, wopiAllow: ['b.example'], frameAncestors: [] });
    expect(found).to.have.length(4);
  });
});
