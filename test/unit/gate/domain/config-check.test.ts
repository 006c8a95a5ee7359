import { expect } from 'chai';
import fc from 'fast-check';
import { createConfigCheck, type Embedding } from '../../../../cmd/gate/domain/config-check.ts';
import { FILE_TYPES } from '../../../../cmd/gate/domain/model.ts';
import { AppError } from '../../../../src/common/errors.ts';
import { hmac, jws } from '../../../support/jws.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SECONDS = NOW / 1000;
const DAY = 24 * 3600;
const SECRET = 'a-secret-of-thirty-two-characters-or-more';
const PREVIOUS = 'the-secret-that-was-in-force-before-this';

const document = { url: 'https://portal.example.com/a.docx', fileType: 'docx', key: 'k-1' };
const full = { document, editor: {} };

const clock = () => NOW;
const unsigned = createConfigCheck({ jwtSecrets: [], allowUnsigned: true, clock });
const signedOnly = createConfigCheck({ jwtSecrets: [SECRET, PREVIOUS], allowUnsigned: true, clock });
const token = (payload: object, key = SECRET, alg = 'HS256') => jws({ alg }, payload, hmac(256, key));
const good = (payload: object = full) => token({ exp: SECONDS + 60, ...payload });

async function refusal(work: Promise<Embedding>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error ?? new Error('not refused');
  return error;
}
const mistakes = async (config: unknown) => (await refusal(unsigned(config))).detail['errors'];

describe('config-check', () => {
  describe('who may send what', () => {
    it('no secret and no unsigned mode: embed_auth_not_configured, whatever is sent', async () => {
      const check = createConfigCheck({ jwtSecrets: [], allowUnsigned: false, clock });
      for (const body of [full, { token: good() }, null]) {
        expect((await refusal(check(body))).code).to.equal('embed_auth_not_configured');
      }
    });

    it('a secret: a token bắt buộc phải có, in unsigned mode too', async () => {
      for (const body of [full, { ...full, token: '' }, { ...full, token: null }, {}]) {
        expect((await refusal(signedOnly(body))).code).to.equal('token_required');
      }
    });

    it('a token that nobody can check is not read past', async () => {
      const { code, detail } = await refusal(unsigned({ ...full, token: good() }));
      expect([code, detail]).to.deep.equal(['invalid_token', { reason: 'no_secret_configured' }]);
    });

    it('takes tokens of the current secret and of the one before', async () => {
      expect((await signedOnly({ token: good() })).document.key).to.equal('k-1');
      const former = token({ exp: SECONDS + 60, ...full }, PREVIOUS);
      expect((await signedOnly({ token: former })).document.key).to.equal('k-1');
    });
  });

  describe('a token is the whole configuration', () => {
    it('nothing that stands beside it counts', async () => {
      const beside = { document: { ...document, key: 'evil' }, editor: { mode: 'view' }, ui: { print: false } };
      const signed = { document, editor: { mode: 'edit', user: { id: '1', name: 'A' } }, ui: { copy: false } };
      const config = await signedOnly({ ...beside, token: good(signed) });
      expect(config).to.deep.include({ document: { ...document, title: null }, mode: 'edit', ui: { copy: false } });
    });

    it('not even what the token leaves out', async () => {
      const config = await signedOnly({ ...full, ui: { print: false }, token: good() });
      expect(config.ui).to.deep.equal({});
      const error = await refusal(signedOnly({ ...full, token: good({ document: undefined, editor: {} }) }));
      expect(error.code).to.equal('invalid_config');
      expect(error.detail['errors']).to.deep.equal([{ path: '/document', message: 'bắt buộc phải có' }]);
    });

    it('without a wrapper object and without a token inside the token', async () => {
      expect((await refusal(signedOnly({ token: good({ payload: full }) }))).code).to.equal('invalid_config');
      expect((await refusal(signedOnly({ token: good({ token: good() }) }))).code).to.equal('invalid_config');
    });
  });

  describe('tokens', () => {
    it('are refused with a reason, and with the time of the server where a clock may be wrong', async () => {
      const exp = SECONDS + 60;
      for (const [value, reason, time] of [
        [jws({ alg: 'HS512' }, { exp, ...full }, hmac(512, SECRET)), 'algorithm'],
        [token({ exp, ...full }, `${SECRET}!`), 'signature'],
        [token(full), 'exp_missing'],
        [token({ exp: SECONDS + 25 * 3600, ...full }), 'exp_too_far', true],
        [token({ exp: SECONDS + 900, nbf: SECONDS + 300, ...full }), 'not_yet_valid', true],
        [token([]), 'malformed'],
        [good({ ...full, pad: 'x'.repeat(32_768) }), 'malformed'],
      ] as const) {
        const { code, detail } = await refusal(signedOnly({ token: value }));
        const server_time = '2026-11-21T12:00:00.000Z';
        expect([code, detail]).to.deep.equal(['invalid_token', { reason, ...(time && { server_time }) }]);
      }
    });

    it('past exp: token_expired with the time of the server; the skew is 60 s', async () => {
      const at = (exp: number) => signedOnly({ token: token({ exp, ...full }) });
      const { code, detail } = await refusal(at(SECONDS - 60));
      expect([code, detail]).to.deep.equal(['token_expired', { server_time: '2026-11-21T12:00:00.000Z' }]);
      expect((await at(SECONDS - 59)).mode).to.equal('edit');
      expect((await at(SECONDS + DAY + 60)).mode).to.equal('edit');
      expect((await refusal(at(SECONDS + DAY + 61))).code).to.equal('invalid_token');
    });
  });

  describe('the configuration', () => {
    it('gets its defaults', async () => {
      expect(await unsigned(full)).to.deep.equal({
        document: { ...document, title: null },
        mode: 'edit',
        readOnly: false,
        lang: 'vi',
        user: null,
        callbackUrl: null,
        ui: {},
      });
    });

    it('may say more of a user than is known here: it is left out', async () => {
      const user = { id: 'u', name: 'U', email: 'u@example.com', group: { id: 7 } };
      expect((await unsigned({ document, editor: { user } })).user).to.deep.equal({ id: 'u', name: 'U' });
    });

    it('has document and editor', async () => {
      expect(await mistakes({})).to.deep.equal([
        { path: '/document', message: 'bắt buộc phải có' },
        { path: '/editor', message: 'bắt buộc phải có' },
      ]);
    });

    it('is told all its mistakes with their places', async () => {
      const config = {
        document: { fileType: 'docx', key: 'a/b', title: '' },
        editor: { mode: 'admin', user: { id: 'u' } },
        ui: { print: 'no' },
      };
      const paths = ((await mistakes(config)) as { path: string }[]).map(({ path }) => path);
      expect(paths).to.have.members([
        '/document/key',
        '/document/title',
        '/document/url',
        '/editor/mode',
        '/editor/user/name',
        '/ui/print',
      ]);
    });

    it('is an object with a key of the pattern', async () => {
      for (const body of [null, [], 'text', 1, true])
        expect((await refusal(unsigned(body))).code).to.equal('invalid_config');
      for (const key of ['', 'a/b', '../x', 'a b', 'á', 'a\n', 'x'.repeat(129), 7, null, ['k'], { toString: 'k' }]) {
        const config = { document: { ...document, key }, editor: {} };
        expect((await refusal(unsigned(config))).code, JSON.stringify(key)).to.equal('invalid_config');
      }
    });

    it('has addresses as long as signed ones are, in a token too', async () => {
      const url = `https://store.example.com/a.docx?signature=${'x'.repeat(8192)}`.slice(0, 8192);
      const config = { document: { ...document, url }, editor: { callbackUrl: url } };
      for (const embedding of [await unsigned(config), await signedOnly({ token: good(config) })]) {
        expect([embedding.document.url, embedding.callbackUrl]).to.deep.equal([url, url]);
      }
      const longer = { document: { ...document, url: `${url}x` }, editor: { callbackUrl: `${url}x` } };
      const paths = ((await mistakes(longer)) as { path: string }[]).map(({ path }) => path);
      expect(paths).to.have.members(['/document/url', '/editor/callbackUrl']);
    });

    it('takes no member from the prototype of an object', async () => {
      const body = JSON.parse(`{"__proto__": ${JSON.stringify(full)}, "constructor": 1}`);
      expect((await refusal(unsigned(body))).code).to.equal('invalid_config');
      expect((await refusal(unsigned(Object.create(full)))).code).to.equal('invalid_config');
    });

    it('keeps of ui what the editor knows', async () => {
      const ui = { toolbar: 'compact', size: { width: 5 }, closeButton: true, onclick: 'x' };
      expect((await unsigned({ ...full, ui })).ui).to.deep.equal({ toolbar: 'compact', closeButton: true });
    });

    it('any JSON is a configuration or a refusal with a code, never a crash', async () => {
      await fc.assert(
        fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), async (a, b, c) => {
          for (const body of [
            a,
            { document: a, editor: b, ui: c },
            { document: { ...document, title: a }, editor: b },
          ]) {
            await unsigned(body).catch((error: unknown) => {
              if (!(error instanceof AppError)) throw error;
              expect(error.status).to.equal(400);
            });
          }
        }),
        { numRuns: 200 },
      );
    });
  });

  describe('file types', () => {
    it('are the twelve', async () => {
      for (const fileType of FILE_TYPES) {
        const config = await unsigned({ document: { ...document, fileType }, editor: {} });
        expect(config.document.fileType).to.equal(fileType);
      }
    });

    it('are no others: 415', async () => {
      for (const fileType of ['DOCX', 'Docx', 'pdf', '.docx', 'docx ', 'docm', 'toString', '', 'x'.repeat(999)]) {
        const error = await refusal(unsigned({ document: { ...document, fileType }, editor: {} }));
        expect(error).to.include({ code: 'unsupported_file_type', status: 415 });
        expect(error.detail).to.deep.equal({ fileType, accepted: [...FILE_TYPES] });
      }
    });
  });
});
