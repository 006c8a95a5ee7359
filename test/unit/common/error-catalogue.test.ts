import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { ERRORS, TOO_LARGE } from '../../../src/common/error-catalogue.ts';
import { AppError, type ErrorDetail, errorBody } from '../../../src/common/errors.ts';

/** Contract: Errors, the tables of codes. */
const CONTRACT: Record<number, string> = {
  400: 'bad_request invalid_config',
  401: 'unauthorized token_expired token_required invalid_token embed_auth_not_configured invalid_session_token',
  403: 'forbidden_feature origin_not_allowed invalid_signature connection_limit_reached',
  404: 'not_found',
  410: 'gone link_expired version_gone',
  413: 'file_too_large',
  415: 'unsupported_format unsupported_file_type',
  422: 'script_invalid script_too_large script_error template_error macro_not_allowed corrupt_source password_required url_not_allowed download_failed',
  429: 'rate_limited',
  500: 'internal',
  501: 'not_implemented',
  503: 'queue_full pool_unavailable editor_unavailable',
  504: 'timeout',
};

const LETTERS = /[àáảãạăắằẳẵặâấầẩẫậđèéẻẽẹêếềểễệìíỉĩịòóỏõọôốồổỗộơớờởỡợùúủũụưứừửữựỳýỷỹỵ]/i;
const root = resolve(import.meta.dirname, '../../..');
const CODE = [
  'cmd/gate/{http,domain}/**/*.ts',
  'cmd/docbuilder/{http,convert,script,template,extract,jobs,source}/**/*.ts',
  'src/common/http/*.ts',
];

describe('mistakes in a request', () => {
  it('are told in Vietnamese, as errors are', () => {
    const sentences = globSync(CODE, { cwd: root }).flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      return [...source.matchAll(/(?:\bmessage: |\bmistake\([^()]*?, |FormulaError\()(['`])(.+?)\1/g)].map(
        ([, , text = '']) => text,
      );
    });
    expect(sentences.length).to.be.above(50);
    expect(sentences.filter((text) => !LETTERS.test(text))).to.deep.equal([]);
  });

  it('name what was too large', () => {
    const message = (detail: ErrorDetail) => errorBody('file_too_large', detail).message;
    expect(message({})).to.equal(ERRORS.file_too_large[1]);
    expect(message({ subject: 'output' })).to.equal(TOO_LARGE['output']);
    expect(message({ subject: 'output', reason: 'too_many_rows' })).to.equal(TOO_LARGE['too_many_rows']);
  });
});

describe('the error catalogue', () => {
  it('has the codes and the statuses of the contract, and no others', () => {
    const found = Map.groupBy(Object.entries(ERRORS), ([, [status]]) => status);
    const byStatus = [...found].map(([status, errors]) => [status, errors.map(([code]) => code).sort()]);
    const contract = Object.entries(CONTRACT).map(([status, codes]) => [status, codes.split(' ').sort()]);
    expect(Object.fromEntries(byStatus)).to.deep.equal(Object.fromEntries(contract));
  });

  it('says each in a Vietnamese sentence of its own', () => {
    const sentences = Object.values(ERRORS).map(([, sentence]) => sentence);
    for (const sentence of sentences)
      expect(sentence).to.match(/^\p{Lu}.*[àáảãạăâđèéẻẽẹêìíỉĩịòóỏõọôơùúủũụưỳýỷỹỵ].*\.$/u);
    expect(new Set(sentences).size).to.equal(sentences.length);
  });

  it('says for each 503 when to come back', () => {
    for (const code of ['queue_full', 'pool_unavailable', 'editor_unavailable'] as const) {
      expect(new AppError(code).retryAfter, code).to.be.greaterThan(0);
    }
    expect(new AppError('internal', {}, { status: 503 }).retryAfter).to.be.greaterThan(0);
    expect(new AppError('internal').retryAfter).to.equal(undefined);
  });
});
