import { expect } from 'chai';
import fc from 'fast-check';
import { createConfigCheck, type Embedding } from '../../../../cmd/gate/domain/config-check.ts';
import { FILE_TYPES } from '../../../../cmd/gate/domain/model.ts';
import { AppError } from '../../../../src/common/errors.ts';
import { failure } from '../../../support/failure.ts';
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

const refusal = async (work: Promise<Embedding>) => (await failure(work)) as AppError;
const paths = async (config: unknown) => {
  const { errors } = (await refusal(unsigned(config))).detail as { errors: { path: string }[] };
  return errors.map(({ path }) => path);
};

describe('config-check', () => {
  it('lets nobody in without secret and unsigned mode, and with a secret only who has a token', async () => {
    const closed = createConfigCheck({ jwtSecrets: [], allowUnsigned: false, clock });
    for (const body of [full, { token: good() }, null])
      expect((await refusal(closed(body))).code).to.equal('embed_auth_not_configured');
    for (const body of [full, { ...full, token: '' }, { ...full, token: null }, {}])
      expect((await refusal(signedOnly(body))).code).to.equal('token_required');
    // A token that nobody can check is not read past.
    const { code, detail } = await refusal(unsigned({ ...full, token: good() }));
    expect([code, detail]).to.deep.equal(['invalid_token', { reason: 'no_secret_configured' }]);
  });

  it('takes tokens of the current secret and of the one before', async () => {
    for (const key of [SECRET, PREVIOUS])
      expect((await signedOnly({ token: token({ exp: SECONDS + 60, ...full }, key) })).document.key).to.equal('k-1');
  });

  it('takes a token for the whole configuration: nothing beside it counts, not even what it leaves out', async () => {
    const beside = { document: { ...document, key: 'evil' }, editor: { mode: 'view' }, ui: { print: false } };
    const signed = { document, editor: { mode: 'edit', user: { id: '1', name: 'A' } }, ui: { copy: false } };
    const config = await signedOnly({ ...beside, token: good(signed) });
    expect(config).to.deep.include({ document: { ...document, title: null }, mode: 'edit', ui: { copy: false } });
    expect((await signedOnly({ ...full, ui: { print: false }, token: good() })).ui).to.deep.equal({});
    // Its payload is the configuration itself, without a wrapper and without a token inside.
    for (const payload of [{ editor: {} }, { payload: full }, { token: good() }])
      expect((await refusal(signedOnly({ ...full, token: good(payload) }))).code).to.equal('invalid_config');
  });

  it('refuses tokens with a reason, and with the time of the server where a clock may be wrong', async () => {
    const exp = SECONDS + 60;
    const server_time = '2026-11-21T12:00:00.000Z';
    for (const [value, reason, time] of [
      [jws({ alg: 'HS512' }, { exp, ...full }, hmac(512, SECRET)), 'algorithm'],
      [token({ exp, ...full }, `${SECRET}!`), 'signature'],
      [token(full), 'exp_missing'],
      [token({ exp: SECONDS + DAY + 61, ...full }), 'exp_too_far', true],
      [token({ exp: SECONDS + 900, nbf: SECONDS + 300, ...full }), 'not_yet_valid', true],
      [token([]), 'malformed'],
      [good({ ...full, pad: 'x'.repeat(32_768) }), 'malformed'],
    ] as const) {
      const { code, detail } = await refusal(signedOnly({ token: value }));
      expect([code, detail]).to.deep.equal(['invalid_token', { reason, ...(time && { server_time }) }]);
    }
    const at = (end: number) => signedOnly({ token: token({ exp: end, ...full }) });
    const { code, detail } = await refusal(at(SECONDS - 60));
    expect([code, detail]).to.deep.equal(['token_expired', { server_time }]);
    for (const end of [SECONDS - 59, SECONDS + DAY + 60]) expect((await at(end)).mode).to.equal('edit');
  });

  it('gives defaults, and keeps of a user and of ui what is known here', async () => {
    expect(await unsigned(full)).to.deep.equal({
      ...{ document: { ...document, title: null }, mode: 'edit', readOnly: false, lang: 'vi' },
      ...{ user: null, callbackUrl: null, ui: {} },
    });
    const user = { id: 'u', name: 'U', email: 'u@example.com', group: { id: 7 } };
    const ui = { toolbar: 'compact', size: { width: 5 }, closeButton: true, onclick: 'x' };
    const config = await unsigned({ document, editor: { user }, ui });
    expect([config.user, config.ui]).to.deep.equal([
      { id: 'u', name: 'U' },
      { toolbar: 'compact', closeButton: true },
    ]);
  });

  it('tells all mistakes with their places', async () => {
    expect(await paths({})).to.deep.equal(['/document', '/editor']);
    const config = {
      document: { fileType: 'docx', key: 'a/b', title: '' },
      editor: { mode: 'admin', user: { id: 'u' } },
      ui: { print: 'no' },
    };
    expect(await paths(config)).to.have.members([
      ...['/document/key', '/document/title', '/document/url', '/editor/mode', '/editor/user/name', '/ui/print'],
    ]);
  });

  it('is for an object with a key of the pattern, and takes no member from a prototype', async () => {
    const inherited = JSON.parse(`{"__proto__": ${JSON.stringify(full)}, "constructor": 1}`);
    const keys = ['', 'a/b', '../x', 'a b', 'á', 'a\n', 'x'.repeat(129), 7, null, ['k'], { toString: 'k' }];
    for (const body of [
      ...[null, [], 'text', 1, true, inherited, Object.create(full)],
      ...keys.map((key) => ({ document: { ...document, key }, editor: {} })),
    ])
      expect((await refusal(unsigned(body))).code, JSON.stringify(body)).to.equal('invalid_config');
  });

  it('takes addresses as long as signed ones are, in a token too', async () => {
    const url = `https://store.example.com/a.docx?signature=${'x'.repeat(8192)}`.slice(0, 8192);
    const config = { document: { ...document, url }, editor: { callbackUrl: url } };
    for (const embedding of [await unsigned(config), await signedOnly({ token: good(config) })])
      expect([embedding.document.url, embedding.callbackUrl]).to.deep.equal([url, url]);
    const longer = { document: { ...document, url: `${url}x` }, editor: { callbackUrl: `${url}x` } };
    expect(await paths(longer)).to.have.members(['/document/url', '/editor/callbackUrl']);
  });

  it('takes any JSON for a configuration or refuses it with a code, and never crashes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), async (a, b, c) => {
        for (const body of [a, { document: a, editor: b, ui: c }, { document: { ...document, title: a }, editor: b }]) {
          await unsigned(body).catch((error: unknown) => {
            if (!(error instanceof AppError)) throw error;
            expect(error.status).to.equal(400);
          });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('knows the twelve types of files, and refuses others with 415', async () => {
    const check = (fileType: string) => unsigned({ document: { ...document, fileType }, editor: {} });
    for (const fileType of FILE_TYPES) expect((await check(fileType)).document.fileType).to.equal(fileType);
    for (const fileType of ['DOCX', 'Docx', 'pdf', '.docx', 'docx ', 'docm', 'toString', '', 'x'.repeat(999)]) {
      const error = await refusal(check(fileType));
      expect(error).to.include({ code: 'unsupported_file_type', status: 415 });
      expect(error.detail).to.deep.equal({ fileType, accepted: FILE_TYPES });
    }
  });
});
