import { expect } from 'chai';
import type { Browser, Frame, Page } from 'puppeteer-core';
import { verifyCallback } from '../../../src/common/crypto/signature.ts';
import { BROWSERS, launch } from '../../browser/support/browsers.ts';
import { secret } from '../../support/logs.ts';
import { skip } from '../../support/skip.ts';
import { download, readLines } from '../../support/stack-steps.ts';
import { until } from '../../support/until.ts';
import { type Office, officeFor } from './support/office.ts';
import { type ClusterSessions, openSessions } from './support/sessions.ts';

describe('on a cluster: embeds and saves', function () {
  this.timeout(90_000);
  let office: Office;
  let sessions: ClusterSessions;
  let browser: Browser;
  let page: Page;

  before(async function () {
    office = await officeFor(this);
    const chrome = BROWSERS.find(({ path }) => path !== undefined) ?? skip(this, 'no browser on this machine');
    sessions = await openSessions(office);
    browser = await launch(chrome);
    page = await browser.newPage();
    await page.goto(office.outside.portal);
  });
  after(() => browser?.close());

  const evaluate = <Result>(code: string) => page.evaluate(code) as Promise<Result>;
  const told = (event: string) =>
    until(event, () => evaluate<object | undefined>(`told.find((one) => one.event === '${event}')`));

  it('a person on a page of the portal opens a document, types, and saves: the new version is in the gate', async () => {
    const token = await sessions.token({ key: 'embedded' });
    await evaluate(`
      window.told = [];
      const names = ['onReady', 'onDocumentLoaded', 'onSaved', 'onError'];
      const events = Object.fromEntries(names.map((event) => [event, (data) => { told.push({ event, data }); }]));
      window.editor = new SVC.Editor('editor', { token: ${JSON.stringify(token)}, events });
      undefined`);
    await told('onDocumentLoaded');
    const frame: Frame = await until('the editor', () =>
      page.frames().find((each) => each.url().includes('cool.html')),
    );
    expect(new URL(frame.url()).origin).to.equal(office.outside.url);
    await frame.type('textarea', 'Từ trình duyệt. ');
    expect(await evaluate('editor.save()')).to.deep.include({ version: 1 });

    const state = await sessions.state(await sessions.create({ key: 'embedded', mode: 'view' }));
    expect(state).to.include({ version: 1 });
    expect(new URL(state.download_url).origin).to.equal(office.outside.url);
    expect(readLines(await download(state.download_url)).join('\n')).to.include('Từ trình duyệt. ');
    expect(await evaluate(`told.filter(({ event }) => event === 'onError')`)).to.deep.equal([]);
  });

  it('the portal is told by a callback that is signed with the secret of the instance', async () => {
    const { headers, raw, body } = await until('the callback', () =>
      sessions.receiver.arrived.find(({ body: { key, status } }) => key === 'embedded' && status === 'saved'),
    );
    expect(body).to.include({ version: 1, autosave: false });
    const signature = String(headers['x-svc-signature']);
    const timestamp = String(headers['x-svc-timestamp']);
    const key = secret(await office.secret('office-secrets', 'embed-callback-secret'));
    expect(verifyCallback(key, { timestamp, signature }, raw)).to.equal(true);
  });
});
