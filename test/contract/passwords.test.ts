import { expect } from 'chai';
import type { SourceFormat } from '../../cmd/docbuilder/formats.ts';
import type { ExtractedMeta, ExtractedText, Job } from '../../src/common/generated/wire.ts';
import { fodt, paragraph } from '../engine/support.ts';
import { secret } from '../support/logs.ts';
import { protectedDocuments } from '../support/protected.ts';
import { errorOf, form, startEnterprise, type TestService } from '../support/service.ts';

const PASSWORD = secret('mật khẩu của phòng 7');
const TEXT = secret('Bảng lương tháng 9');

describe('documents with a password', function () {
  this.timeout(60_000);
  let service: TestService;
  let files: ReadonlyMap<SourceFormat, Buffer>;
  before(async () => {
    [service, files] = await Promise.all([
      startEnterprise(),
      protectedDocuments(PASSWORD, [['fodt', fodt(paragraph(TEXT)), 'docx']]),
    ]);
  });
  after(() => service.stop());

  const send = (path: string, fields: Record<string, string>) =>
    service.call(path, { method: 'POST', body: form(files.get('docx'), 'a.docx', fields) });

  it('are converted with options.password; missing and wrong ones are password_required', async () => {
    const convert = (fields: Record<string, string>) => send('/v1/convert', { to: 'pdf', ...fields });
    for (const [fields, reason] of [
      [{}, 'missing'],
      [{ 'options.password': 'sai rồi' }, 'wrong'],
    ] as [Record<string, string>, string][]) {
      const error = await errorOf(await convert(fields));
      expect(error).to.deep.equal({ status: 422, code: 'password_required', detail: { reason } });
    }
    for (const fields of [{ 'options.password': PASSWORD }, { options: JSON.stringify({ password: PASSWORD }) }]) {
      const response = await convert(fields as Record<string, string>);
      expect(response.status).to.equal(200);
      expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).to.match(/^%PDF-/);
    }
  });

  it('text, meta and thumbnail take password', async () => {
    for (const what of ['text', 'meta', 'thumbnail']) {
      const path = `/v1/extract/${what}`;
      for (const [fields, reason] of [
        [{}, 'missing'],
        [{ password: 'sai rồi' }, 'wrong'],
      ] as [Record<string, string>, string][]) {
        const error = await errorOf(await send(path, fields));
        expect(error, what).to.deep.equal({ status: 422, code: 'password_required', detail: { reason } });
      }
    }
    const opened = (what: string) => send(`/v1/extract/${what}`, { password: PASSWORD });
    expect(((await (await opened('text')).json()) as ExtractedText).text).to.contain(TEXT);
    expect((await (await opened('meta')).json()) as ExtractedMeta).to.include({ encrypted: true, format: 'docx' });
    expect((await opened('thumbnail')).headers.get('content-type')).to.equal('image/png');
  });

  it('a protected document under the name of another family is refused by every endpoint', async () => {
    for (const [path, fields] of [
      ['/v1/convert', { to: 'pdf', 'options.password': PASSWORD }],
      ['/v1/extract/text', { password: PASSWORD }],
      ['/v1/extract/meta', { password: PASSWORD }],
      ['/v1/extract/thumbnail', { password: PASSWORD }],
    ] as [string, Record<string, string>][]) {
      const body = form(files.get('docx'), 'a.xlsx', fields);
      const error = await errorOf(await service.call(path, { method: 'POST', body }));
      expect(error, path).to.deep.equal({ status: 422, code: 'corrupt_source', detail: { reason: 'not_xlsx' } });
    }
  });

  it('async: a missing password is refused at once, a wrong one is how the job fails', async () => {
    const fields = { to: 'pdf', async: 'true' };
    expect(await errorOf(await send('/v1/convert', fields))).to.include({ code: 'password_required' });
    const response = await send('/v1/convert', { ...fields, 'options.password': 'sai rồi' });
    expect(response.status).to.equal(202);
    const { status, error } = await service.ended(((await response.json()) as Job).id);
    expect(status).to.equal('failed');
    expect(error).to.deep.include({ code: 'password_required', detail: { reason: 'wrong' } });
  });
});
