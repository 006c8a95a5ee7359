import { expect } from 'chai';
import { ooxml, SENTENCE } from '../../../scripts/support/documents.ts';
import { FORMULA_DOCX, FORMULA_TEXT } from '../../support/formula.ts';
import { secret } from '../../support/logs.ts';
import { pdfText } from '../../support/pdf.ts';
import { form, readError } from '../../support/service.ts';
import { run } from './engine.ts';
import { type Office, officeFor } from './support/office.ts';

const DOCX = ooxml('docx', { paragraphs: 3 });

describe('on a cluster: converts', function () {
  this.timeout(60_000);
  let office: Office;
  let key: string;

  before(async function () {
    office = await officeFor(this);
    // The notes of the chart say so.
    key = secret((await office.secret('office-secrets', 'docbuilder-api-keys')).replace(/^default:/, ''));
  });

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${office.outside.url}${path}`, { ...init, headers: { Authorization: `Bearer ${key}`, ...init.headers } });
  const convert = (source: Buffer, fields: Record<string, string>, name = 'a.docx') =>
    call('/v1/convert', { method: 'POST', body: form(source, name, fields) });

  it('a Word document becomes a PDF, with the API key that was made for the instance', async () => {
    const answer = await convert(DOCX, { to: 'pdf' });
    expect(answer.status).to.equal(200);
    const text = await pdfText(Buffer.from(await answer.arrayBuffer()));
    expect(text.split(SENTENCE)).to.have.lengthOf(4);
  });

  it('with its formulas, by the LibreOffice of the image', async () => {
    const answer = await convert(FORMULA_DOCX, { to: 'pdf' });
    expect(await pdfText(Buffer.from(await answer.arrayBuffer()))).to.match(FORMULA_TEXT);
  });

  it('with letters of Chinese, Japanese and Korean, and emoji, from fonts of the image', async () => {
    const answer = await convert(Buffer.from('漢字 かな 한글 😀'), { to: 'pdf' }, 'a.txt');
    const fonts = await run('pdffonts', ['-'], Buffer.from(await answer.arrayBuffer()));
    // Only glyphs in colour are of type 3.
    expect(fonts)
      .to.match(/Noto\w+CJK/)
      .and.match(/Type 3/);
  });

  it('a document is fetched from where spec.outbound allows, and from no other private address', async () => {
    const fetched = (url: string) => {
      const body = JSON.stringify({ url, to: 'pdf' });
      return call('/v1/convert', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    };
    expect((await fetched(office.outside.documentUrl)).status).to.equal(200);
    const { code } = await readError(await fetched(`http://${office.cluster.dnsAddress}:53/a.docx`));
    expect(code).to.equal('url_not_allowed');
  });

  it('workers are confined, in a pod that is restricted', async () => {
    const status = (await (await call('/v1/status')).json()) as { sandbox: string; workers: { total: number } };
    expect(status.sandbox).to.be.oneOf(['landlock', 'namespaces']);
    expect(status.workers.total).to.equal(1);
  });
});
