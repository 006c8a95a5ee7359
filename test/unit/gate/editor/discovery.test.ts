import { expect } from 'chai';
import { createDiscovery, type Discovery } from '../../../../cmd/gate/outbound/editor/discovery.ts';
import { editPages } from '../../../../src/common/editor/discovery-xml.ts';
import { createEditorAgent } from '../../../../src/common/editor/fetch-text.ts';
import type { AppError } from '../../../../src/common/errors.ts';
import { silentLogger } from '../../../support/logs.ts';
import { type AdminServer, discoveryXml, startAdminServer } from './admin-server.ts';

const action = (urlsrc: string, ext = 'docx'): string =>
  `<wopi-discovery><net-zone><app><action ext="${ext}" name="edit" urlsrc="${urlsrc}"/></app></net-zone></wopi-discovery>`;

describe('a discovery document', () => {
  it('gives path and query of the edit actions alone', () => {
    expect([...editPages(discoveryXml('h1', ['docx', 'odt'])).pages]).to.deep.equal([
      ['docx', '/browser/h1/cool.html?'],
      ['odt', '/browser/h1/cool.html?'],
    ]);
  });

  it('gives an address that another argument can follow', () => {
    const pages: Record<string, string> = {
      'https://o.example/b/cool.html': '/b/cool.html?',
      'https://o.example/b/cool.html?a=1': '/b/cool.html?a=1&',
      'https://o.example/b/cool.html?a=1&amp;': '/b/cool.html?a=1&',
      'http://o.example:9980/root/b/cool.html?&lt;ui=UI_LLCC&amp;&gt;': '/root/b/cool.html?',
    };
    for (const [urlsrc, page] of Object.entries(pages))
      expect(editPages(action(urlsrc)).pages.get('docx')).to.equal(page);
    expect(editPages(action('https://o.example/b?', 'DocX')).pages.has('docx')).to.equal(true);
  });

  it('is refused when it is none, or hostile', () => {
    const hostile: Record<string, string> = {
      'not XML': 'x',
      'cut off': discoveryXml().slice(0, -20),
      'another root': '<html><action ext="docx" name="edit" urlsrc="https://o/x?"/></html>',
      'without an edit action': '<wopi-discovery/>',
      'a script for an address': action('javascript:alert(1)'),
      'another host for a path': action('https://o.example//evil.example/x?'),
      'with a DOCTYPE': `<!DOCTYPE a [<!ENTITY b "c">]>${discoveryXml()}`,
      deep: `<wopi-discovery>${'<a>'.repeat(50)}${'</a>'.repeat(50)}</wopi-discovery>`,
      'without the end of placeholders': action(`ftp:${'&lt;'.repeat(400_000)}`),
      wide: `<wopi-discovery>${'<a/>'.repeat(30_000)}${action('https://o/x?')}</wopi-discovery>`,
    };
    for (const [name, xml] of Object.entries(hostile)) expect(() => editPages(xml), name).to.throw();
  });
});

describe('discovery', () => {
  const state = { now: 1_000_000 };
  const agent = createEditorAgent();
  let server: AdminServer;
  let discovery: Discovery;

  beforeEach(async () => {
    server = await startAdminServer();
    discovery = createDiscovery({ url: server.url, agent, clock: () => state.now, log: silentLogger() });
  });
  afterEach(() => server.stop());
  after(() => agent.destroy());

  const failure = async (fileType = 'docx'): Promise<string> =>
    discovery.page(fileType).then(
      (page) => page,
      (error: AppError) => error.code,
    );

  it('is read once for many, and again after five minutes', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, () => discovery.page('docx')));
    expect(new Set(pages)).to.deep.equal(new Set(['/browser/dd8e9a4/cool.html?']));
    state.now += 299_999;
    await discovery.page('csv');
    expect(server.counts.discovery).to.equal(1);
    server.now.discovery.body = discoveryXml('next');
    state.now += 1;
    expect(await discovery.page('docx')).to.equal('/browser/next/cool.html?');
  });

  it('is editor_unavailable when it was never read, and asks at most once a second', async () => {
    server.now.discovery.status = 500;
    expect(await failure()).to.equal('editor_unavailable');
    expect(await failure()).to.equal('editor_unavailable');
    expect(server.counts.discovery).to.equal(1);
    server.now.discovery.status = 200;
    state.now += 1000;
    expect(await failure()).to.equal('/browser/dd8e9a4/cool.html?');
  });

  it('serves its last copy for five more minutes, then no longer', async () => {
    await discovery.page('docx');
    server.now.discovery.body = 'busy';
    state.now += 599_999;
    expect(await failure()).to.equal('/browser/dd8e9a4/cool.html?');
    state.now += 1;
    expect(await failure()).to.equal('editor_unavailable');
  });

  it('is read again for those who wait while what is on its way is forgotten, also when that fails', async () => {
    for (const status of [200, 500]) {
      server.now.discovery.status = status;
      const asked = failure();
      discovery.forget();
      server.now.discovery.status = 200;
      expect(await asked).to.equal('/browser/dd8e9a4/cool.html?');
      discovery.forget();
    }
  });

  it('knows no page for what the editor does not edit', async () => {
    expect(await failure('pdf')).to.equal('unsupported_file_type');
  });

  it('takes no endless answer', async () => {
    server.now.discovery.body = `<wopi-discovery>${' '.repeat(3_000_000)}</wopi-discovery>`;
    expect(await failure()).to.equal('editor_unavailable');
  });
});
