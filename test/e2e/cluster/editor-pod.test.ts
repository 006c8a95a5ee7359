import { expect } from 'chai';
import type { Browser } from 'puppeteer-core';
import { openPerson, type Person } from '../../../scripts/editor-check/person.ts';
import { portalPage } from '../../../scripts/editor-check/portal.ts';
import { verifyCallback } from '../../../src/common/crypto/signature.ts';
import { BROWSERS, launch } from '../../browser/support/browsers.ts';
import { type Canary, startCanary } from '../../support/canary.ts';
import { secret } from '../../support/logs.ts';
import { skip } from '../../support/skip.ts';
import { download, readLines } from '../../support/stack-steps.ts';
import { until } from '../../support/until.ts';
import { type Office, officeFor } from './support/office.ts';
import { type ClusterSessions, openSessions } from './support/sessions.ts';

/** An image of Collabora Online that the engine has; without one, the stand-in is tried. */
const IMAGE = process.env['SVC_TEST_EDITOR_IMAGE'];
const SAVED_MS = 60_000;
/** 30 s after the last view, and what it takes to notice that. */
const CLOSED_MS = 120_000;
const ROLLED_MS = 240_000;
const COMES_BACK_SECONDS = 120;

describe(`on a cluster: the pod of ${IMAGE ?? 'the stand-in editor'}`, function () {
  this.timeout(480_000);
  let office: Office;
  let sessions: ClusterSessions;
  let browser: Browser;
  let portal: Canary;

  before(async function () {
    office = await officeFor(this);
    const chrome = BROWSERS.find(({ path }) => path !== undefined) ?? skip(this, 'no browser on this machine');
    portal = await startCanary((_request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end(portalPage(office.outside.url));
    });
    browser = await launch(chrome);
    if (IMAGE !== undefined) await office.cluster.load(IMAGE);
    sessions = await openSessions(office);
    const gates = await office.pods('gate');
    await rolled(() => office.patch({ embed: { allowedOrigins: ['*'] }, editor: { image: IMAGE ?? null } }));
    // They allow only some origins.
    await office.ended(gates);
  });
  after(async () => {
    await browser?.close();
    await portal?.close();
    await office?.patch({
      embed: { allowedOrigins: [office.outside.portal] },
      editor: { image: null, extraParams: null },
    });
  });

  const editorPod = async () => (await office.pods('editor'))[0]?.metadata;
  const removePod = async (...flags: string[]) =>
    office.kubectl('delete', 'pod', (await editorPod())?.name ?? '', '--wait=false', ...flags);

  /** Waits until another pod runs in the place of the editor's. @returns the name of the one before */
  async function rolled(change: () => Promise<unknown>): Promise<string> {
    const before = await editorPod();
    await change();
    await until(
      'another pod of the editor',
      async () => {
        const now = await editorPod();
        return now !== undefined && now.uid !== before?.uid;
      },
      ROLLED_MS,
    );
    await office.ready();
    // Of four questions at once each of two gates gets one.
    const know = async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => sessions.status()));
      return answers.every(({ upstream }) => upstream.editor_server === 'ok');
    };
    await until('the gates know it', know, ROLLED_MS);
    return before?.name ?? '';
  }

  /** Somebody who edits a document of their own. */
  async function open(key: string): Promise<Person> {
    const context = await browser.createBrowserContext();
    const config = { token: await sessions.token({ key }) };
    const person = await openPerson(context, `http://127.0.0.1:${portal.port}/`, config);
    await person.loaded();
    return person;
  }

  async function readText(key: string): Promise<string> {
    const { download_url } = await sessions.state(await sessions.create({ key, mode: 'view' }));
    return readLines(await download(download_url))
      .join('\n')
      .toLowerCase();
  }

  const isStored = (key: string, word: string) =>
    until(`${word} in the newest version`, async () => (await readText(key)).includes(word), SAVED_MS);

  /** Saves, types and saves in the same page, and leaves. @param then what was typed before, and when */
  async function goesOn(person: Person, then: { key: string; began: number; word: string }): Promise<void> {
    expect(await person.saveAgain(then.began, COMES_BACK_SECONDS)).to.be.a('number');
    const next = await person.type();
    await person.save();
    expect(await readText(then.key))
      .to.include(then.word)
      .and.include(next);
    await person.leave();
  }

  it('takes pages of any origin where the spec says so; what is typed is saved, and the portal told, with the secret of the instance', async () => {
    const person = await open('pod-open');
    const word = await person.type();
    expect(await person.save()).to.include({ version: 1 });
    expect(await readText('pod-open')).to.include(word);
    await person.leave();
    const told = (status: string) =>
      sessions.receiver.arrived.find(({ body }) => body.key === 'pod-open' && body.status === status);
    const { headers, raw } = await until('closed', () => told('closed'), CLOSED_MS);
    expect(told('saved')?.body).to.include({ version: 1, autosave: false });
    const signed = { timestamp: String(headers['x-svc-timestamp']), signature: String(headers['x-svc-signature']) };
    const key = secret(await office.secret('office-secrets', 'embed-callback-secret'));
    expect(verifyCallback(key, signed, raw)).to.equal(true);
  });

  it('stores what was typed before its pod ends, and the page goes on in the next one', async () => {
    const person = await open('pod-deleted');
    const word = await person.type();
    const began = Date.now();
    const name = await rolled(() => removePod());
    await isStored('pod-deleted', word);
    expect(await office.kubectl('get', 'pod', name, '--ignore-not-found')).to.equal('');
    await goesOn(person, { key: 'pod-deleted', began, word });
  });

  it('stores what was typed when a change of the spec replaces its pod', async () => {
    const person = await open('pod-rolled');
    const word = await person.type();
    await rolled(() => office.patch({ editor: { extraParams: ['--o:num_prespawn_children=2'] } }));
    await isStored('pod-rolled', word);
    await person.leave();
  });

  it('is there again after it was killed, with all that had been saved', async () => {
    const person = await open('pod-killed');
    const word = await person.type();
    expect(await person.save()).to.have.property('version');
    const began = Date.now();
    await rolled(() => removePod('--grace-period=0', '--force'));
    await goesOn(person, { key: 'pod-killed', began, word });
  });
});
