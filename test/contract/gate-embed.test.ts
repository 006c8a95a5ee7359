import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { noteLoad } from '../../cmd/gate/domain/wopi-access.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import type { EmbedSession, EmbedSessionState } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { EMBED_SECRET, PORTAL_ORIGIN, readError, signed, startEmbed, type TestEmbed } from '../support/gate-embed.ts';
import { odf } from '../support/open-documents.ts';
import { until } from '../support/service.ts';

const json = { 'Content-Type': 'application/json' };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('embedding', () => {
  let gate: TestEmbed;
  const started: TestEmbed[] = [];
  /** Starts another one in the place of that which each test begins with. */
  async function start(options?: Parameters<typeof startEmbed>[0]): Promise<void> {
    gate = await startEmbed(options);
    started.push(gate);
  }
  beforeEach(() => start());
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.stop()));
  });

  const state = async (session: EmbedSession) => (await (await gate.ask(session)).json()) as EmbedSessionState;
  const mode = (session: EmbedSession, wanted: unknown) =>
    gate.ask(session, '/mode', { method: 'POST', headers: json, body: JSON.stringify({ mode: wanted }) });
  const saved = (docId: string, version: number, more = {}) =>
    gate.rows.transact(async (tx) => {
      const [original] = await tx.versions(docId);
      const document = await tx.document(docId);
      if (!original || !document) throw new Error('no document');
      await tx.putDocument({ ...document, version });
      await tx.putVersion({ ...original, version, savedAt: gate.clock.now, ...more });
    });
  const readDocument = (docId: string) => gate.rows.read((tx) => tx.document(docId));
  const readSession = ({ session_id }: EmbedSession) => gate.rows.read((tx) => tx.session(session_id));
  const refusal = async (answer: Promise<Response> | Response) => readError(await answer);

  describe('a session', () => {
    it('is created as the contract says, and keeps no token, only its hash', async () => {
      const response = await gate.post(gate.config({ editor: { lang: 'en_US' }, ui: { toolbar: 'compact' } }));
      expect(response.status).to.equal(201);
      const body = (await response.json()) as EmbedSession;
      expect(validator('embed-session.json')(body)).to.deep.include({ ok: true });
      expect(body).to.deep.include({ key: 'key-1', mode: 'edit', requested_mode: 'edit', limited: false, limit: null });
      expect(body).to.include({ message: null, version: 0, expires_at: '2026-11-22T00:00:00.000Z' });
      expect(body.form).to.include({ access_token_ttl: gate.clock.now + 720 * 60_000, ui_defaults: 'UIMode=compact' });
      expect(body.form.access_token).to.match(/^[\w-]{43}$/);
      const source = encodeURIComponent(`http://gate:8081/svc/wopi/files/${body.doc_id}`);
      expect(body.editor_url).to.equal(`/browser/a1b2c3/cool.html?WOPISrc=${source}&lang=en-US`);
      const row = await readSession(body);
      expect(row?.tokenHash).to.equal(sha256(Buffer.from(body.form.access_token)));
      expect(JSON.stringify([row, gate.audited])).not.to.contain(body.form.access_token);
    });

    it('that only views says so to the editor and takes no place', async () => {
      const session = await gate.create(gate.config({ editor: { mode: 'view' }, ui: { closeButton: true } }));
      expect(session).to.deep.include({ mode: 'view', requested_mode: 'view', limited: false, limit: null });
      expect(session.editor_url).to.match(/&lang=vi&closebutton=1&permission=readonly$/);
      expect(gate.cap.taken()).to.equal(0);
    });

    it('without a user is a guest of its own', async () => {
      const config = () => gate.config({ editor: { user: undefined } });
      const [one, two] = [await gate.create(config()), await gate.create(config())];
      for (const session of [one, two])
        expect((await readSession(session))?.user).to.deep.equal({ id: session.session_id, name: 'Khách' });
    });

    it('tells its state, and when the editor last fetched the document, once it has', async () => {
      const session = await gate.create();
      gate.editor.present = [{ id: 'u1', name: 'An' }];
      gate.editor.changed = true;
      const response = await gate.ask(session);
      expect(response.status).to.equal(200);
      const body = (await response.json()) as EmbedSessionState;
      expect(validator('embed-session-state.json')(body)).to.deep.include({ ok: true });
      const docx = ooxml('docx');
      expect(body).to.deep.include({ state: 'active', mode: 'edit', version: 0, modified: true });
      expect(body).to.include({ saved_at: null, loaded_at: null });
      expect(body).to.deep.include({ size: docx.length, sha256: sha256(docx), save: null, users: gate.editor.present });
      const file = await fetch(body.download_url);
      expect(Buffer.from(await file.arrayBuffer()).equals(docx)).to.equal(true);
      await gate.rows.transact((tx) => noteLoad(tx, session.doc_id, gate.clock.now));
      expect(await state(session)).to.include({ loaded_at: new Date(gate.clock.now).toISOString() });
    });

    it('tells the last save that was asked for, and none that the editor made by itself', async () => {
      const session = await gate.create();
      await saved(session.doc_id, 1, { nonce: 'n1' });
      await saved(session.doc_id, 2, { autosave: true });
      expect(await state(session)).to.deep.include({ version: 2, save: { nonce: 'n1', version: 1 } });
      await saved(session.doc_id, 3, { nonce: 'n2' });
      await saved(session.doc_id, 4, {});
      await saved(session.doc_id, 5, { final: true });
      expect(await state(session)).to.deep.include({ version: 5, save: { nonce: 'n2', version: 3 } });
      expect((await state(session)).saved_at).to.equal(new Date(gate.clock.now).toISOString());
      // Two people may save at the same moment.
      for (const [nonce, version] of Object.entries({ n1: 1, n2: 3 }))
        expect(await (await gate.ask(session, `?nonce=${nonce}`)).json()).to.deep.include({ save: { nonce, version } });
    });

    it('is closed once and stays known, without a new way to the content', async () => {
      const session = await gate.create();
      for (let time = 0; time < 2; time++) {
        const response = await gate.ask(session, '', { method: 'DELETE' });
        expect([response.status, await response.text()]).to.deep.equal([204, '']);
      }
      expect(gate.cap.taken()).to.equal(0);
      gate.editor.present = [{ id: 'u2', name: 'B' }];
      const after = await state(session);
      expect(after).to.deep.include({ state: 'closed', users: [] });
      expect((await readError(await fetch(after.download_url))).code).to.equal('link_expired');
      expect(await readError(await mode(session, 'edit'))).to.deep.include({
        code: 'invalid_session_token',
        detail: { reason: 'closed' },
      });
      expect((await readDocument(session.doc_id))?.state).to.equal('open');
    });

    it('expires; while its owner still edits it leads to what is saved, until it is closed', async () => {
      const session = await gate.create();
      const expectNoWay = async (expected: string) => {
        const after = await state(session);
        expect(after).to.deep.include({ state: expected, users: [] });
        expect((await refusal(fetch(after.download_url))).code).to.equal('link_expired');
      };
      gate.clock.now += 720 * 60_000 - 1;
      expect((await state(session)).state).to.equal('active');
      gate.clock.now += 1;
      gate.editor.present = [{ id: 'u1', name: 'An' }];
      await expectNoWay('expired');
      const { status, code, detail } = await refusal(mode(session, 'view'));
      expect([status, code, detail]).to.deep.equal([401, 'invalid_session_token', { reason: 'expired' }]);
      gate.editor.listed = [session.session_id];
      const after = await state(session);
      expect(after).to.deep.include({ state: 'expired', users: gate.editor.present });
      const file = await fetch(after.download_url);
      expect([file.status, (await file.arrayBuffer()).byteLength]).to.deep.equal([200, after.size]);
      await gate.ask(session, '', { method: 'DELETE' });
      await expectNoWay('closed');
    });

    it('is nowhere when embedding is disabled', async () => {
      await start({ enabled: false });
      for (const [method, path] of [
        ['POST', 'session'],
        ['GET', `session/ses_${'0'.repeat(24)}`],
        ['GET', `files/doc_${'0'.repeat(32)}`],
      ] as const) {
        const answer = gate.call(`/svc/embed/${path}`, { method });
        expect(await refusal(answer)).to.include({ status: 404, code: 'not_found' });
      }
    });
  });

  describe('the cap', () => {
    it('makes a session that wants to edit a view, says why in Vietnamese, and holds when it asks again', async () => {
      gate.cap.limit = 1;
      await gate.create();
      const session = await gate.create();
      expect(session).to.deep.include({
        mode: 'view',
        requested_mode: 'edit',
        limited: true,
        limit: { code: 'connection_limit_reached', limit: 1, current: 0, pending: 1 },
      });
      expect(session.message).to.match(/giới hạn 1 kết nối/);
      expect(session.editor_url).to.match(/permission=readonly$/);
      const row = await readSession(session);
      expect(row).to.include({ mode: 'view', requestedMode: 'edit', hasEdited: false });
      const again = (await (await mode(session, 'edit')).json()) as EmbedSession;
      expect(again).to.include({ mode: 'view', requested_mode: 'edit', limited: true });
    });

    it('does not keep the place of a session that did not come about', async () => {
      gate.editor.available = false;
      expect(await readError(await gate.post(gate.config()))).to.include({ status: 503, code: 'editor_unavailable' });
      expect(gate.cap.taken()).to.equal(0);
      // Nobody was let in, so nobody can leave either.
      const [document] = await gate.rows.transact((tx) => tx.documents());
      expect(document?.state).to.equal('closed');
    });
  });

  describe('a change of mode', () => {
    it('keeps session and token, gives the place back and asks for it again', async () => {
      const session = await gate.create();
      const viewing = (await (await mode(session, 'view')).json()) as EmbedSession;
      expect(viewing).to.deep.include({ session_id: session.session_id, mode: 'view', requested_mode: 'view' });
      expect(viewing.form).to.deep.equal(session.form);
      expect(viewing.editor_url).to.match(/permission=readonly$/);
      expect(gate.cap.taken()).to.equal(0);
      const row = await readSession(session);
      expect(row).to.include({ mode: 'view', hasEdited: true });
      const editing = (await (await mode(session, 'edit')).json()) as EmbedSession;
      expect(editing).to.deep.include({ mode: 'edit', limited: false, editor_url: session.editor_url });
      expect(gate.cap.taken()).to.equal(1);
      const modes = gate.audited.filter(({ event }) => event === 'session.mode').map(({ facts }) => facts);
      const { session_id, doc_id } = session;
      expect(modes).to.deep.equal(
        ['view', 'edit'].map((one) => ({ session: session_id, document: doc_id, mode: one })),
      );
    });

    it('changes nothing while the editor cannot be reached', async () => {
      const session = await gate.create();
      gate.editor.available = false;
      expect((await readError(await mode(session, 'view'))).code).to.equal('editor_unavailable');
      expect(gate.cap.taken()).to.equal(1);
      expect((await state(session)).mode).to.equal('edit');
    });

    it('of two at a time, mode and place agree', async () => {
      const session = await gate.create();
      await Promise.all(['view', 'edit', 'view', 'edit', 'view'].map((wanted) => mode(session, wanted)));
      expect(gate.cap.taken()).to.equal((await state(session)).mode === 'edit' ? 1 : 0);
    });

    it('to what is none is a bad request; strangers are told of their token, not of their body', async () => {
      const session = await gate.create();
      for (const wanted of ['admin', '', null, 7, ['edit']])
        expect((await readError(await mode(session, wanted))).code, String(wanted)).to.equal('bad_request');
      const init = { method: 'POST', body: '{' };
      const strange = { headers: { ...json, Authorization: `Bearer ${'x'.repeat(43)}` } };
      const refusal = await readError(await gate.ask(session, '/mode', { ...init, ...strange }));
      expect(refusal).to.include({ status: 401, code: 'invalid_session_token' });
      const unknown = { ...session, session_id: `ses_${'0'.repeat(24)}` };
      expect(await readError(await gate.ask(unknown, '/mode', init))).to.include({ status: 404, code: 'not_found' });
      await gate.ask(session, '', { method: 'DELETE' });
      expect(await readError(await gate.ask(session, '/mode', init))).to.include({ status: 401 });
    });

    it('gives no place to a session that was deleted meanwhile', async () => {
      const session = await gate.create(gate.config({ editor: { mode: 'view' } }));
      const { page } = gate.editor;
      const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      gate.editor.page = async (...args) => {
        asked.resolve();
        await goOn.promise;
        return page.apply(gate.editor, args);
      };
      const changing = mode(session, 'edit');
      await asked.promise;
      expect((await gate.ask(session, '', { method: 'DELETE' })).status).to.equal(204);
      goOn.resolve();
      const refusal = await readError(await changing);
      expect(refusal).to.deep.include({ status: 401, code: 'invalid_session_token', detail: { reason: 'closed' } });
      expect(gate.cap.taken()).to.equal(0);
    });
  });

  describe('documents', () => {
    const other = (changes: object) => gate.config({ document: changes });

    it('of one key are one: it is fetched once, also when several open it at the same time', async () => {
      let waiting: ServerResponse | undefined;
      gate.serve((_request, response) => {
        waiting = response;
      });
      const creations = Array.from({ length: 5 }, () => gate.create());
      await until('the download', () => waiting);
      waiting?.end(ooxml('docx'));
      const sessions = await Promise.all(creations);
      sessions.push(await gate.create());
      expect(new Set(sessions.map(({ doc_id }) => doc_id)).size).to.equal(1);
      expect(new Set(sessions.map(({ session_id }) => session_id)).size).to.equal(6);
      expect(gate.portal.requests).to.have.length(1);
      expect(await gate.temporaries()).to.deep.equal([]);
    });

    it("another's address that leads nowhere does not fail one's own", async () => {
      let broken: ServerResponse | undefined;
      gate.serve((request, response) => {
        if (request.url === '/broken') broken = response;
        else response.end(ooxml('docx'));
      });
      const url = `http://127.0.0.1:${gate.portal.port}/broken`;
      const first = gate.post(other({ url }));
      await until('the first download', () => broken);
      const second = gate.create();
      broken?.writeHead(500).end();
      expect((await readError(await first)).code).to.equal('download_failed');
      expect((await second).version).to.equal(0);
    });

    it('come back with their last working copy when the key is opened again, and are kept for that', async () => {
      const closeIt = (docId: string) =>
        gate.rows.transact(async (tx) => {
          const document = (await tx.document(docId)) ?? expect.fail('no document');
          await tx.putDocument({ ...document, state: 'closed', closedAt: gate.clock.now });
        });
      const { doc_id } = await gate.create();
      await saved(doc_id, 2);
      await closeIt(doc_id);
      gate.clock.now += 3_600_000;
      const again = await gate.create();
      expect(again).to.include({ doc_id, version: 2 });
      const { now } = gate.clock;
      expect(await readDocument(doc_id)).to.deep.include({ state: 'open', closedAt: null, lastViewAt: now });
      expect(gate.portal.requests).to.have.length(1);
      // They do not vanish before the person who opens them again is let in.
      await closeIt(doc_id);
      gate.clock.now += 24 * 3_600_000 - 1;
      gate.editor.available = false;
      expect((await gate.post(gate.config())).status).to.equal(503);
      expect(await readDocument(doc_id)).to.include({ state: 'closed', closedAt: gate.clock.now });
    });

    it('have the title and the callback address that the newest session gave them', async () => {
      const callback = (path: string) => `http://127.0.0.1:${gate.portal.port}/${path}`;
      const { doc_id } = await gate.create();
      expect(await readDocument(doc_id)).to.include({ title: 'key-1.docx', callbackUrl: null, baseUrl: gate.url });
      await gate.create({ ...other({ title: 'Hợp đồng' }), editor: { callbackUrl: callback('one') } });
      expect(await readDocument(doc_id)).to.include({ title: 'Hợp đồng', callbackUrl: callback('one') });
      await gate.create({ ...other({}), editor: { callbackUrl: callback('two'), mode: 'view' } });
      expect(await readDocument(doc_id)).to.include({ title: 'Hợp đồng', callbackUrl: callback('two') });
      await gate.create();
      expect(await readDocument(doc_id)).to.include({ callbackUrl: callback('two') });
    });

    it('keep their type: the same key with another is told to be a mistake', async () => {
      await gate.create();
      const error = await readError(await gate.post(other({ fileType: 'odt' })));
      expect(error).to.include({ status: 400, code: 'invalid_config' });
      expect(error.detail).to.have.nested.property('errors[0].path', '/document/fileType');
      expect(error.detail)
        .to.have.nested.property('errors[0].message')
        .that.matches(/phải là docx/);
      expect(gate.portal.requests).to.have.length(1);
    });

    it('are what their type says', async () => {
      const odt = odf('odt');
      for (const [bytes, fileType, found] of [
        [Buffer.from('<!doctype html><title>Login</title>'), 'docx', 'html'],
        [ooxml('xlsx'), 'docx', 'xlsx'],
        [odt, 'docx', 'odt'],
        [ooxml('docx').subarray(0, 200), 'docx', 'zip'],
        [Buffer.alloc(0), 'xlsx', 'empty'],
        [Buffer.alloc(0), 'txt', 'empty'],
        [Buffer.alloc(0), 'csv', 'empty'],
        [odt, 'txt', 'odt'],
      ] as const) {
        gate.serve((_request, response) => void response.end(bytes));
        const error = await readError(await gate.post(other({ key: `k-${found}-${fileType}`, fileType })));
        expect(error).to.deep.include({ status: 422, code: 'download_failed' });
        expect(error.detail).to.deep.equal({ reason: 'content', expected: fileType, found, path: '/document/url' });
      }
      for (const [bytes, fileType] of [
        [odt, 'odt'],
        [ooxml('xlsm'), 'xlsx'],
        [Buffer.from('a,b\n'), 'csv'],
      ] as const) {
        gate.serve((_request, response) => void response.end(bytes));
        expect((await gate.post(other({ key: `good-${fileType}`, fileType }))).status, fileType).to.equal(201);
      }
      const session = await gate.create(other({ key: 'good-csv', fileType: 'csv' }));
      const { headers } = await fetch((await state(session)).download_url);
      expect(headers.get('content-type'), 'of a charset that nobody knows').to.equal('text/csv');
      expect(await gate.temporaries()).to.deep.equal([]);
    });
  });

  it('is refused in the order of origin, token, configuration, addresses, download, cap, editor', async () => {
    await start({ jwtSecrets: [EMBED_SECRET], names: {} });
    gate.editor.available = false;
    gate.serve((_request, response) => void response.writeHead(500).end());
    const code = async (body: unknown, headers = {}) => (await refusal(gate.post(body, headers))).code;
    const evil = { Origin: 'https://evil.test' };
    const bad = { document: { url: 'http://127.0.0.1:1/', fileType: 'DOCX', key: 'k' }, editor: {} };
    expect(await code('{', evil)).to.equal('origin_not_allowed');
    expect(await code('{')).to.equal('bad_request');
    expect(await code(bad)).to.equal('token_required');
    expect(await code({ token: 'x' })).to.equal('invalid_token');
    expect(await code({ token: signed({ ...bad, editor: undefined }) })).to.equal('invalid_config');
    expect(await code({ token: signed(bad) })).to.equal('unsupported_file_type');
    const internal = { ...bad, document: { ...bad.document, fileType: 'docx' } };
    expect(await code({ token: signed(internal) })).to.equal('url_not_allowed');
    expect(await code({ token: signed(gate.config()) })).to.equal('download_failed');
    expect(gate.cap.taken()).to.equal(0);
    gate.serve((_request, response) => void response.end(ooxml('docx')));
    expect(await code({ token: signed(gate.config()) })).to.equal('editor_unavailable');
    gate.editor.available = true;
    expect((await gate.post({ token: signed(gate.config()) })).status).to.equal(201);
    const refusals = gate.audited.filter(({ event }) => event === 'session.refused');
    expect(refusals).to.have.length(9);
    expect(refusals[0]?.facts).to.include({ code: 'origin_not_allowed', origin: 'https://evil.test' });
  });

  describe('CORS', () => {
    it('lets an allowed page read every answer, errors too, names no other origin, and varies all the same', async () => {
      const session = await gate.create();
      for (const [path, init] of [
        ['/svc/embed/session', { method: 'POST', body: '{', headers: json }],
        [`/svc/embed/session/${session.session_id}`, {}],
        ['/svc/nothing', {}],
        ['/svc//odd', {}],
        ['/svc/embed/files/x', {}],
      ] as const) {
        const response = await gate.call(path, { ...init, headers: { ...json, Origin: PORTAL_ORIGIN } });
        expect(response.headers.get('access-control-allow-origin'), path).to.equal(PORTAL_ORIGIN);
        expect(response.headers.get('vary'), path).to.equal('Origin');
        expect(response.status).to.be.within(400, 404);
        await response.text();
      }
      for (const init of [{}, { headers: { Origin: 'https://evil.test' } }, { headers: { Origin: 'null' } }]) {
        const { headers } = await gate.call('/svc/embed/session', init);
        expect([headers.get('access-control-allow-origin'), headers.get('vary')]).to.deep.equal([null, 'Origin']);
      }
    });

    it('answers preflights on any path', async () => {
      for (const path of ['/svc/embed/session', '/svc/limits', '/svc/whatever/it/is']) {
        const response = await gate.call(path, { method: 'OPTIONS', headers: { Origin: PORTAL_ORIGIN } });
        expect(response.status).to.equal(204);
        expect(Object.fromEntries(response.headers)).to.include({
          'access-control-allow-origin': PORTAL_ORIGIN,
          'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
          'access-control-allow-headers': 'Content-Type, Authorization',
          'access-control-max-age': '600',
        });
        expect(response.headers.get('access-control-allow-credentials')).to.equal(null);
      }
    });

    it('with `*` names the origin that asks', async () => {
      await start({ allowedOrigins: ['*'] });
      for (const origin of ['https://anybody.test', 'null']) {
        const response = await gate.post(gate.config(), { Origin: origin });
        expect(response.status).to.equal(201);
        expect(response.headers.get('access-control-allow-origin')).to.equal(origin);
        await response.text();
      }
      const none = ['*', 'https://', 'https://a/b', 'https://a https://b', 'javascript:alert(1)', 'https://a@b'];
      for (const origin of none)
        expect((await refusal(gate.post(gate.config(), { Origin: origin }))).code).to.equal('origin_not_allowed');
    });
  });

  it('lets nobody keep what has a token in it', async () => {
    const session = await gate.create();
    for (const answer of [
      await gate.post(gate.config()),
      await mode(session, 'view'),
      await gate.ask(session),
      await gate.ask(session, '/mode', { method: 'POST', body: '{' }),
    ])
      expect(answer.headers.get('cache-control'), answer.url).to.equal('no-store');
  });

  it('takes bodies of JSON of at most 64 KiB', async () => {
    const code = async (body: string, headers = {}) => (await readError(await gate.post(body, headers))).code;
    expect(await code('{"document":')).to.equal('bad_request');
    expect(await code('')).to.equal('bad_request');
    expect(await code('{}', { 'Content-Type': 'text/plain' })).to.equal('bad_request');
    const large = await readError(await gate.post(JSON.stringify({ pad: 'x'.repeat(65_536) })));
    expect(large).to.deep.include({
      ...{ status: 413, code: 'file_too_large', detail: { limit_mb: 1 / 16, subject: 'body' } },
      message: 'Nội dung JSON của yêu cầu vượt quá giới hạn cho phép.',
    });
    const length = Buffer.byteLength(JSON.stringify({ ...gate.config(), pad: '' }));
    expect((await gate.post({ ...gate.config(), pad: 'x'.repeat(65_536 - length) })).status).to.equal(201);
  });

  describe('downloads', () => {
    let link: string;
    let docx: Buffer;
    beforeEach(async () => {
      docx = ooxml('docx');
      const session = await gate.create(gate.config({ document: { title: 'Hợp đồng số 1/2026' } }));
      link = (await state(session)).download_url;
    });

    it('are attachments that no browser shows', async () => {
      const response = await fetch(link);
      expect(response.status).to.equal(200);
      expect(Object.fromEntries(response.headers)).to.deep.include({
        'content-type': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        'content-length': String(docx.length),
        'x-content-type-options': 'nosniff',
        etag: `"${sha256(docx)}"`,
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-cache',
        'content-security-policy': "default-src 'none'; sandbox",
      });
      const disposition = response.headers.get('content-disposition') ?? '';
      expect(disposition).to.match(/^attachment; /);
      expect(decodeURIComponent(disposition)).to.contain("filename*=UTF-8''Hợp đồng số 1_2026.docx");
      expect(Buffer.from(await response.arrayBuffer()).equals(docx)).to.equal(true);
    });

    it('come in ranges, and whole for ranges that are several, of another version or none', async () => {
      const { length } = docx;
      const own = `"${sha256(docx)}"`;
      for (const [range, condition, status, start, end] of [
        ['bytes=0-9', undefined, 206, 0, 9],
        ['bytes=5-', undefined, 206, 5, length - 1],
        ['bytes=-7', undefined, 206, length - 7, length - 1],
        [`bytes=3-${length + 100}`, undefined, 206, 3, length - 1],
        [`bytes=-${length + 100}`, undefined, 206, 0, length - 1],
        ['bytes=5-2', undefined, 200, 0, length - 1],
        ['bytes=0-1', own, 206, 0, 1],
        ['bytes=0-1', '"other"', 200, 0, length - 1],
        ['bytes=0-1,4-5', undefined, 200, 0, length - 1],
        ['lines=1-2', undefined, 200, 0, length - 1],
        ['bytes=x', undefined, 200, 0, length - 1],
      ] as const) {
        const response = await fetch(link, { headers: { Range: range, ...(condition && { 'If-Range': condition }) } });
        const part = status === 206 ? `bytes ${start}-${end}/${length}` : null;
        expect([response.status, response.headers.get('content-range')], range).to.deep.equal([status, part]);
        const bytes = Buffer.from(await response.arrayBuffer());
        expect(bytes.equals(docx.subarray(start, end + 1)), range).to.equal(true);
      }
      const beyond = await fetch(link, { headers: { Range: `bytes=${length}-` } });
      expect(beyond.headers.get('content-range')).to.equal(`bytes */${length}`);
      expect(beyond.headers.get('etag')).to.equal(null);
      expect(await readError(beyond)).to.include({ status: 416, code: 'bad_request' });
    });

    it('are not sent again to who has them, and not at all to HEAD', async () => {
      const known = await fetch(link, { headers: { 'If-None-Match': `"${sha256(docx)}"` } });
      expect([known.status, await known.text()]).to.deep.equal([304, '']);
      const head = await fetch(link, { method: 'HEAD', headers: { Range: 'bytes=0-1' } });
      expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(docx.length)]);
    });

    it('of versions that were cleaned up are gone, of unknown documents and versions not found, in the end expired', async () => {
      const docId = new URL(link).pathname.split('/').at(-1) ?? '';
      const code = async (url: string) => (await readError(await fetch(url))).code;
      await saved(docId, 7);
      expect(await code(gate.links.sign(gate.url, docId, 3))).to.equal('version_gone');
      expect(await code(gate.links.sign(gate.url, docId, 8))).to.equal('not_found');
      expect(await code(gate.links.sign(gate.url, `doc_${'0'.repeat(32)}`, 0))).to.equal('not_found');
      expect((await fetch(gate.links.sign(gate.url, docId, 0))).status).to.equal(200);
      gate.clock.now += 24 * 3_600_000;
      expect(await readError(await fetch(link))).to.include({ status: 410, code: 'link_expired' });
    });

    it('of bytes that are lost are an honest error', async () => {
      const docId = new URL(link).pathname.split('/').at(-1) ?? '';
      const original = await gate.rows.read((tx) => tx.version(docId, 0));
      await gate.blobs.remove(original?.blob ?? '');
      expect(await readError(await fetch(link))).to.include({ status: 500, code: 'internal' });
    });
  });
});
