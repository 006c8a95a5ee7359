import { expect } from 'chai';
import { ooxml } from '../../scripts/support/documents.ts';
import type { EmbedSession, EmbedSessionState } from '../../src/common/generated/wire.ts';
import { startCanary } from '../support/canary.ts';
import {
  EMBED_SECRET,
  PORTAL_ORIGIN,
  randomKey,
  readError,
  signed,
  startEmbed,
  type TestEmbed,
} from '../support/gate-embed.ts';
import { rawRequest } from '../support/raw-request.ts';
import { useStarted } from '../support/use-started.ts';

describe('attacks on embedding', () => {
  const canary = useStarted(
    () => startCanary(),
    ({ close }) => close(),
  );
  const gate = useStarted(
    () => startEmbed(),
    ({ stop }) => stop(),
  );

  const others: TestEmbed[] = [];
  /** A gate for one test. */
  async function another(...options: Parameters<typeof startEmbed>): Promise<TestEmbed> {
    const started = await startEmbed(...options);
    others.push(started);
    return started;
  }
  afterEach(async () => {
    await Promise.all(others.splice(0).map((started) => started.stop()));
  });

  const own = (changes = {}) => gate.create(gate.config({ document: { key: randomKey(), ...changes } }));
  const endpoints = [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/mode'],
  ] as const;
  const ask = (path: string, method: string, authorization?: string) =>
    gate.call(path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(authorization !== undefined && { Authorization: authorization }),
      },
      ...(method === 'POST' && { body: '{"mode":"view"}' }),
    });

  describe('a reader', () => {
    const toEdit = (session: EmbedSession) =>
      gate.ask(session, '/mode', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"mode":"edit"}',
      });

    it('who was signed as one never becomes an editor and takes no place', async () => {
      for (const mode of ['view', 'edit']) {
        const places = gate.cap.taken();
        const editor = { mode, readOnly: true };
        const session = await gate.create(gate.config({ document: { key: randomKey() }, editor }));
        expect(session).to.include({ mode: 'view', requested_mode: mode, limited: false });
        const answer = await toEdit(session);
        expect(answer.status).to.equal(200);
        const stays = { mode: 'view', requested_mode: 'edit', limited: false, limit: null };
        expect(await answer.json()).to.deep.include(stays);
        const row = await gate.rows.transact((tx) => tx.session(session.session_id));
        // A session that only ever viewed saves nothing (`wopi-access`).
        expect(row).to.include({ mode: 'view', hasEdited: false });
        expect(gate.cap.taken()).to.equal(places);
      }
    });

    it('does not become one by a member beside the token', async () => {
      const strict = await another({ jwtSecrets: [EMBED_SECRET] });
      const { document } = strict.config();
      const token = signed({ document, editor: { mode: 'view', readOnly: true } });
      const answer = await strict.post({ token, document, editor: { mode: 'edit', readOnly: false } });
      const { session_id } = (await answer.json()) as EmbedSession;
      const row = await strict.rows.transact((tx) => tx.session(session_id));
      expect(row).to.include({ mode: 'view', readOnly: true });
    });
  });

  describe("another session's token", () => {
    for (const [method, suffix] of endpoints) {
      it(`opens no ${method} ${suffix}; neither does a cut, changed or missing one`, async () => {
        const [mine, theirs] = [await own(), await own()];
        const beside = await gate.create(gate.config({ document: { key: mine.key } }));
        const token = mine.form.access_token;
        const wrong = `${token.slice(0, -1)} ${token}A ${token.toLowerCase()} ${token}, ${token}=`.split(' ');
        for (const value of [
          ...[theirs.form.access_token, beside.form.access_token, ...wrong].map((other) => `Bearer ${other}`),
          ...[undefined, '', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token} ${token}`],
        ]) {
          const response = await ask(`/svc/embed/session/${mine.session_id}${suffix}`, method, value);
          expect(response.headers.get('www-authenticate')).to.equal('Bearer');
          expect(await readError(response), String(value)).to.include({ status: 401, code: 'invalid_session_token' });
        }
        const state = (await (await gate.ask(mine)).json()) as EmbedSessionState;
        expect(state).to.include({ state: 'active', mode: 'edit' });
      });
    }

    it('is not taken from the query', async () => {
      const { session_id, form } = await own();
      const response = await ask(`/svc/embed/session/${session_id}?access_token=${form.access_token}`, 'GET');
      expect((await readError(response)).code).to.equal('invalid_session_token');
    });

    it('of a session that is gone opens nothing', async () => {
      const session = await own();
      await gate.rows.transact((tx) => tx.removeSession(session.session_id));
      expect(await readError(await gate.ask(session))).to.include({ status: 404, code: 'not_found' });
    });
  });

  describe('ids', () => {
    let session: EmbedSession;
    before(async () => {
      session = await own();
    });
    const variants = (id: string): string[] =>
      `${id.toUpperCase()} ${id}0 ${id.slice(0, -1)} ${id}%20 ${id}%0a %20${id} ${id}%00 ${id}/ ${id}/.. x/../${id}
      %2e%2e/session/${id} ..%2f${id} ..%5c${id} ${id};a=b ${id}%2fmode ${id}//mode %2573es_${id} __proto__ constructor
      '%20OR%201=1%20-- .. . %c0%ae%c0%ae %zz`.split(/\s+/);

    it('of sessions in any other spelling lead to no session', async () => {
      for (const id of variants(session.session_id)) {
        const headers = `Authorization: Bearer ${session.form.access_token}`;
        const { status, body } = await rawRequest(gate.url, `GET /svc/embed/session/${id} HTTP/1.1`, [headers]);
        expect([400, 404], `${id}: ${body}`).to.include(status);
        expect(JSON.parse(body).error.code).to.be.oneOf(['not_found', 'bad_request']);
      }
    });

    it('of documents in any other spelling lead to no file', async () => {
      const link = new URL(gate.links.sign(gate.url, session.doc_id, 0));
      for (const id of [...variants(session.doc_id), '../../etc/passwd', '....//', '%2e%2e%2f%2e%2e%2fetc%2fpasswd']) {
        const line = `GET /svc/embed/files/${id}${link.search} HTTP/1.1`;
        const { status, body } = await rawRequest(gate.url, line);
        expect([400, 403, 404], `${id}: ${body}`).to.include(status);
      }
    });

    it('in a signed link of a foreign document are still only ids', async () => {
      for (const id of ['..', '../gate.db', '', '__proto__', "x' OR '1'='1"]) {
        const { search } = new URL(gate.links.sign('http://x', id, 0));
        const line = `GET /svc/embed/files/${encodeURIComponent(id)}${search} HTTP/1.1`;
        expect([400, 404], id).to.include((await rawRequest(gate.url, line)).status);
      }
    });
  });

  describe('download links', () => {
    it('in 20 wrong spellings are refused', async () => {
      const { doc_id } = await own();
      const { searchParams } = new URL(gate.links.sign(gate.url, doc_id, 0));
      const [v, exp, sig] = ['v', 'exp', 'sig'].map((name) => searchParams.get(name) ?? '');
      const wrong = { exp: Number(exp) + 1, upper: sig?.toUpperCase(), cut: sig?.slice(1), short: sig?.slice(0, 63) };
      const spellings: Record<string, string[]> = {
        invalid_signature: [
          ...[wrong.cut, wrong.short, `${sig}0`, `0${sig}`, wrong.upper, `${sig}%00`, '%20', '0'].map(
            (other) => `v=${v}&exp=${exp}&sig=${other}`,
          ),
          ...[`v=1&exp=${exp}`, `v=${v}&exp=${wrong.exp}`, `v=${v}&exp=1`, `v=${v}&exp=999999999999999`].map(
            (other) => `${other}&sig=${sig}`,
          ),
        ],
        bad_request: [
          ...[`v=${v}&v=1&exp=${exp}`, `v=${v}&exp=${exp}&exp=${exp}`, `v=${v}&exp=${exp}&sig=${sig}`].map(
            (twice) => `${twice}&sig=${sig}`,
          ),
          ...[`v[]=${v}&exp=${exp}`, `v=0${v}&exp=${exp}`, `v=${v}&exp=${exp}.0`].map((odd) => `${odd}&sig=${sig}`),
          ...[`v=${v}&exp=${exp}`, ''],
        ],
      };
      for (const [code, queries] of Object.entries(spellings))
        for (const query of queries) {
          const answer = await gate.call(`/svc/embed/files/${doc_id}?${query}`);
          expect((await readError(answer)).code, query).to.equal(code);
        }
    });
  });

  describe('origins', () => {
    const strangers = [
      'null',
      `${PORTAL_ORIGIN}.evil.test`,
      `${PORTAL_ORIGIN}:443`,
      `${PORTAL_ORIGIN}/`,
      'http://portal.example.com',
      'https://evilportal.example.com',
      'https://evil.test/https://portal.example.com',
      `${PORTAL_ORIGIN}, https://evil.test`,
      'https://pоrtal.example.com'.replace('о', '%D0%BE'),
      '*',
    ];
    it('other than the allowed one reach no session', async () => {
      const session = await own();
      for (const origin of strangers) {
        const responses = [
          await gate.post(gate.config(), { Origin: origin }),
          await gate.ask(session, '', { headers: { Origin: origin } }),
          await gate.ask(session, '', { method: 'DELETE', headers: { Origin: origin } }),
          await gate.ask(session, '/mode', { method: 'POST', body: '{}', headers: { Origin: origin } }),
        ];
        for (const response of responses) {
          expect(response.headers.get('access-control-allow-origin'), origin).to.equal(null);
          expect(await readError(response), origin).to.include({ status: 403, code: 'origin_not_allowed' });
        }
      }
    });

    it('twice in one request are none', async () => {
      const headers = [`Origin: ${PORTAL_ORIGIN}`, 'Origin: https://evil.test', 'Content-Length: 0'];
      const { status, body } = await rawRequest(gate.url, 'POST /svc/embed/session HTTP/1.1', headers);
      expect([status, JSON.parse(body).error.code]).to.deep.equal([403, 'origin_not_allowed']);
    });
  });

  describe('tokens', () => {
    const strict = useStarted(
      () => startEmbed({ jwtSecrets: [EMBED_SECRET], allowedOrigins: ['*'] }),
      ({ stop }) => stop(),
    );

    it('are not smuggled past by a second member of the same name', async () => {
      const body = `{"token":${JSON.stringify(signed(strict.config()))},"token":"","document":{}}`;
      expect((await readError(await strict.post(body))).code).to.equal('token_required');
    });
  });

  describe('addresses', () => {
    const internal = (target: TestEmbed, url: string) => ({
      'document.url': target.config({ document: { key: randomKey(), url } }),
      callbackUrl: target.config({ document: { key: randomKey() }, editor: { callbackUrl: url } }),
    });

    async function expectRefused(target: TestEmbed, url: string): Promise<void> {
      const before = target.portal.connections;
      for (const [member, config] of Object.entries(internal(target, url))) {
        const error = await readError(await target.post(config));
        expect(error, `${member} ${url}`).to.deep.include({ status: 422, code: 'url_not_allowed' });
        expect(JSON.stringify(error)).not.to.contain(`:${canary.port}`);
        const place = member === 'callbackUrl' ? '/editor/callbackUrl' : '/document/url';
        expect(error.detail).to.deep.include({ path: place });
      }
      expect(canary.connections).to.equal(0);
      expect(target.portal.connections).to.equal(before);
    }

    it('no internal address, and no text that is no http URL', async () => {
      await expectRefused(gate, `http://2130706433:${canary.port}/`);
      for (const url of ['ftp://example.com/', 'http:///', '/etc/passwd'])
        for (const config of Object.values(internal(gate, url))) {
          const { code } = await readError(await gate.post(config));
          expect(code, url).to.be.oneOf(['url_not_allowed', 'invalid_config']);
        }
      expect(canary.connections).to.equal(0);
    });

    it('no name of an internal address, in a redirect neither', async () => {
      const named = await another({ names: { 'evil.test': [['127.0.0.1']] } });
      await expectRefused(named, `http://EVIL.test.:${canary.port}/`);
      named.serve((_request, response) => {
        response.writeHead(302, { Location: `http://evil.test:${canary.port}/` }).end();
      });
      const error = await readError(await named.post(named.config({ document: { key: randomKey() } })));
      expect(error.code).to.equal('url_not_allowed');
      expect(canary.connections).to.equal(0);
    });

    it('no name that turns internal between the check and the download', async () => {
      const flipping = await another({ names: { 'rebind.test': [['93.184.216.34'], ['127.0.0.1']] } });
      const url = `http://rebind.test:${canary.port}/`;
      const error = await readError(await flipping.post(flipping.config({ document: { url } })));
      expect(error).to.deep.include({ code: 'url_not_allowed', detail: { reason: 'address', path: '/document/url' } });
      expect(canary.connections).to.equal(0);
    });

    it('a refused one is refused too when the document is open already', async () => {
      const { key } = await own();
      const url = `http://127.0.0.1:${canary.port}/`;
      const error = await readError(await gate.post(gate.config({ document: { key, url } })));
      expect(error.code).to.equal('url_not_allowed');
      const callbackUrl = (await gate.rows.read((tx) => tx.documentByKey(key)))?.callbackUrl;
      expect(callbackUrl).to.equal(null);
    });
  });

  describe('what portals send', () => {
    it('a title is no header, no path and no script', async () => {
      const hidden = ['\u202excod.exe', '\ud800', '<b>'];
      for (const title of ['a\r\nSet-Cookie: x=1', '../../etc/passwd', '"; filename="evil.exe', ...hidden]) {
        const session = await own({ title });
        const response = await fetch(gate.links.sign(gate.url, session.doc_id, 0));
        expect(response.status, title).to.equal(200);
        const disposition = response.headers.get('content-disposition') ?? '';
        expect(disposition, title).to.match(/^attachment; filename=/);
        expect(disposition, title).to.match(/\.docx"?$/);
        expect(decodeURIComponent(disposition), title).not.to.match(/[/\\\r\n\u202e]|evil\.exe"/);
        expect(response.headers.get('set-cookie')).to.equal(null);
        await response.arrayBuffer();
      }
    });

    it('lang and ui cannot add arguments to the editor page', async () => {
      for (const lang of ['vi&permission=edit', 'vi;x', 'v', '../vi', 'vi\n']) {
        const error = await readError(await gate.post(gate.config({ editor: { lang } })));
        expect(error.code, lang).to.equal('invalid_config');
      }
      const error = await readError(await gate.post(gate.config({ ui: { toolbar: 'tabbed;SavedUIState=true' } })));
      expect(error.code).to.equal('invalid_config');
    });

    it('a zip with any names, cut anywhere, is a document or an error with a code', async () => {
      const docx = ooxml('docx');
      for (let cut = 1; cut < docx.length; cut += 37) {
        gate.serve((_request, response) => void response.end(docx.subarray(0, cut)));
        const response = await gate.post(gate.config({ document: { key: randomKey() } }));
        expect([201, 422], `cut at ${cut}`).to.include(response.status);
        await response.text();
      }
      expect(await gate.temporaries()).to.deep.equal([]);
    });
  });
});
