import { expect } from 'chai';
import { ooxml } from '../../scripts/support/documents.ts';
import type { Job } from '../../src/common/generated/wire.ts';
import { startCanary } from '../support/canary.ts';
import { ratioBomb } from '../support/hostile.ts';
import { txt } from '../support/open-documents.ts';
import { readError, startEnterprise, startService, until } from '../support/service.ts';
import { slowSheet } from '../support/slow-sheet.ts';
import { useStarted } from '../support/use-started.ts';

describe('bad input', () => {
  const public_ = ['93.184.215.14'];
  let answers: Record<string, string[][]> = {};
  // Plays DNS: each name gives one list of addresses after the other.
  const lookup = async (name: string) => (answers[name]?.shift() ?? public_).map((address) => ({ address }));
  const service = useStarted(
    () =>
      startEnterprise(
        { SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: '5', SVC_DOCBUILDER_WORKERS: '2' },
        { callbackSchedule: [0, 10, 10], lookup },
      ),
    ({ stop }) => stop(),
  );

  it('hostile documents have typed errors within seconds', async () => {
    const rows: [what: string, file: Uint8Array, name: string, status: number, code: string, detail: object][] = [
      ['a zip bomb by ratio', ratioBomb(), 'a.docx', 422, 'corrupt_source', { reason: 'zip_bomb' }],
      ['an empty file', new Uint8Array(), 'a.docx', 422, 'corrupt_source', { reason: 'empty' }],
      ['a page', Buffer.from('<!DOCTYPE html><html>x</html>'), 'a.doc', 415, 'unsupported_format', { from: 'html' }],
    ];
    for (const [what, content, name, status, code, detail] of rows) {
      // Above the job's five seconds it would be another code.
      const error = await readError(await service.convert(content, name, { to: 'pdf' }));
      expect(error, what).to.include({ status, code });
      expect(error.detail, what).to.include(detail);
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

  it('a document that hangs the engine: timeout, and the neighbour does not notice', async () => {
    const hanging = service.convert(slowSheet(), 'slow.fods', { to: 'pdf' });
    const neighbours = Promise.all(
      Array.from({ length: 5 }, async () => (await service.convert(txt(), 'a.txt', { to: 'pdf' })).status),
    );
    expect(await neighbours).to.deep.equal([200, 200, 200, 200, 200]);
    const detail = { scope: 'job', limit_seconds: 5 };
    expect(await readError(await hanging)).to.deep.equal({ status: 504, code: 'timeout', detail });
  });

  it('a page range that nothing of the document is in', async () => {
    const response = await service.convert(txt(), 'a.txt', { to: 'pdf', 'options.pages': '900' });
    expect(await readError(response)).to.include({ status: 400, code: 'bad_request' });
  });

  it('callback_url at an internal address, also one that a name leads to after the check', async () => {
    const canary = await startCanary();
    const { port } = canary;
    const send = (url: string) => service.convert(txt(), 'a.txt', { to: 'pdf', async: 'true', callback_url: url });
    expect(await readError(await send(`http://127.0.0.1:${port}/`))).to.include({
      status: 422,
      code: 'url_not_allowed',
    });
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
      expect(await readError(response)).to.deep.include({ status: 413, code: 'file_too_large' });
    } finally {
      await service.stop();
    }
  });
});
