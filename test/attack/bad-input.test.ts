import { expect } from 'chai';
import { ooxml } from '../../scripts/support/documents.ts';
import type { Job } from '../../src/common/generated/wire.ts';
import { startCanary } from '../support/canary.ts';
import { entityBomb, ratioBomb } from '../support/hostile.ts';
import { txt } from '../support/open-documents.ts';
import { errorOf, startEnterprise, startService, until } from '../support/service.ts';
import { slowSheet } from '../support/slow-sheet.ts';
import { useStarted } from '../support/use-started.ts';

const MB = 1024 * 1024;
const [CORRUPT, UNKNOWN] = ['corrupt_source', 'unsupported_format'];

/** Bad input gets a typed error, soon, from a pool that did not notice. */
describe('bad input', () => {
  const public_ = ['93.184.215.14'];
  let answers: Record<string, string[][]> = {};
  // Plays DNS: each name gives one list of addresses after the other.
  const lookup = async (name: string) => (answers[name]?.shift() ?? public_).map((address) => ({ address }));
  const settings = { SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: '2', SVC_DOCBUILDER_WORKERS: '2' };
  const service = useStarted(
    () =>
      startEnterprise(
        { SVC_DOCBUILDER_MAX_FILE_MB: '10', ...settings },
        { uploadIdleMs: 300, callbackSchedule: [0, 10, 10], lookup },
      ),
    ({ stop }) => stop(),
  );

  it('hostile documents of each kind, of which `sources.test.ts` has all spellings, have typed errors within seconds', async () => {
    const rows: [what: string, file: Uint8Array, name: string, status: number, code: string, detail: object][] = [
      ['not a zip', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)), 'a.docx', 422, CORRUPT, {}],
      ['a zip bomb by ratio', ratioBomb(), 'a.docx', 422, CORRUPT, { reason: 'zip_bomb' }],
      ['an XML entity bomb', entityBomb(), 'a.docx', 422, CORRUPT, { reason: 'doctype' }],
      ['text called .docx', txt(), 'a.docx', 422, CORRUPT, {}],
      ['an empty file', new Uint8Array(), 'a.docx', 422, CORRUPT, { reason: 'empty' }],
      ['an empty text', new Uint8Array(), 'a.txt', 422, CORRUPT, { reason: 'empty' }],
      ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'a.png', 415, UNKNOWN, { from: 'png' }],
      ['a page', Buffer.from('<!DOCTYPE html><html><body>x</body></html>'), 'a.doc', 415, UNKNOWN, { from: 'html' }],
      ['a file over the limit', new Uint8Array(10 * MB + 1), 'a.docx', 413, 'file_too_large', { limit_mb: 10 }],
    ];
    for (const [what, content, name, status, code, detail] of rows) {
      const started = performance.now();
      const error = await errorOf(await service.convert(content, name, { to: 'pdf' }));
      expect(error, what).to.include({ status, code });
      expect(error.detail, what).to.include(detail);
      expect(performance.now() - started, `milliseconds of ${what}`).to.be.below(3000);
    }
  });

  it('what is called something else is what it is; macros are not run', async () => {
    const response = await service.convert(ooxml('docx'), 'a.txt', { to: 'odt' });
    expect(response.headers.get('content-type')).to.contain('opendocument.text');
    expect((await service.convert(txt(), 'a.wpd', { to: 'pdf' })).status).to.equal(200);
    for (const format of ['docm', 'xlsm', 'pptm'] as const) {
      expect((await service.convert(ooxml(format), `a.${format}`, { to: 'pdf' })).status, format).to.equal(200);
    }
  });

  it('files of odd names', async () => {
    for (const name of [
      ...['../../../etc/passwd', '..\\..\\x.txt', `${'n'.repeat(300)}.txt`, 'Hợp đồng thuê nhà (bản 2).txt'],
      ...['a\u0000b.txt', '"; x="y.txt'],
    ]) {
      const response = await service.convert(txt(), name, { to: 'pdf', from: 'txt' });
      expect(response.status, name).to.equal(200);
      const disposition = response.headers.get('content-disposition') ?? '';
      expect(disposition)
        .to.match(/^attachment; filename/)
        .and.not.match(/\.\.[/\\]/);
    }
  });

  it('a document that hangs the engine: timeout, and the neighbour does not notice', async () => {
    const hanging = service.convert(slowSheet(), 'slow.fods', { to: 'pdf' });
    const neighbours = Promise.all(
      Array.from({ length: 5 }, async () => (await service.convert(txt(), 'a.txt', { to: 'pdf' })).status),
    );
    expect(await neighbours).to.deep.equal([200, 200, 200, 200, 200]);
    const detail = { scope: 'job', limit_seconds: 2 };
    expect(await errorOf(await hanging)).to.deep.equal({ status: 504, code: 'timeout', detail });
  });

  it('a page range that nothing of the document is in', async () => {
    const response = await service.convert(txt(), 'a.txt', { to: 'pdf', 'options.pages': '900' });
    expect(await errorOf(response)).to.include({ status: 400, code: 'bad_request' });
  });

  it('callback_url at an internal address, by address, by name, by redirect, by rebinding', async () => {
    const canary = await startCanary();
    const { port } = canary;
    const send = (url: string) => service.convert(txt(), 'a.txt', { to: 'pdf', async: 'true', callback_url: url });
    answers = { 'metadata.example': [['169.254.169.254']], 'mixed.example': [['93.184.215.14', '127.0.0.1']] };
    for (const url of [
      'http://169.254.169.254/latest',
      `http://127.0.0.1:${port}/`,
      'http://metadata.example/',
      'http://mixed.example/',
      'ftp://example.com/',
      'nonsense',
    ]) {
      expect(await errorOf(await send(url)), url).to.include({ status: 422, code: 'url_not_allowed' });
    }
    answers = { 'rebind.example': [public_, ['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1']] };
    const accepted = (await (await send(`http://rebind.example:${port}/`)).json()) as Job;
    const job = await until('the callback is given up', async () => {
      const now = await service.read<Job>(`/v1/jobs/${accepted.id}`);
      return now.callback?.state === 'failed' ? now : undefined;
    });
    expect(job).to.include({ status: 'done' });
    expect(job.callback).to.include({ attempts: 3, last_status: null });
    expect(canary.connections).to.equal(0);
    await canary.close();
  });

  it('leaves a pool that is unharmed, and no temporary files', async () => {
    const response = await service.convert(txt(), 'healthy.txt', { to: 'pdf' });
    expect(response.status).to.equal(200);
    expect((await response.arrayBuffer()).byteLength).to.be.greaterThan(1000);
    await until('temporary files are gone', async () => {
      return (await service.temporaries()).length === 0;
    });
  });
});

describe('an output over the limit', () => {
  it('is file_too_large, whatever the engine made of it', async () => {
    const service = await startService({ SVC_DOCBUILDER_MAX_FILE_MB: '1' });
    try {
      // Half a megabyte of text that needs far more as a PDF of many pages.
      const response = await service.convert(txt({ paragraphs: 12_000 }), 'long.txt', { to: 'rtf' });
      expect(await errorOf(response)).to.deep.include({ status: 413, code: 'file_too_large' });
    } finally {
      await service.stop();
    }
  });
});
