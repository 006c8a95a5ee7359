import { expect } from 'chai';
import type { DocbuilderLimits, DocbuilderStatus, Job } from '../../src/common/generated/wire.ts';
import { useServers } from '../support/canary.ts';
import { readError, startEnterprise, until, useService } from '../support/service.ts';

const TEXT = Buffer.from('Xin chào\n');
const MB = 1024 * 1024;

describe('what the operator set', function () {
  this.timeout(60_000);
  const service = useService(() =>
    startEnterprise({
      SVC_DEV_MODE: '1',
      SVC_BASE_URL: 'https://office.example/',
      SVC_DOCBUILDER_WORKERS: '2',
      SVC_DOCBUILDER_WORKER_MAX_JOBS: '1',
      SVC_DOCBUILDER_SANDBOX: 'off',
      SVC_DOCBUILDER_MAX_FILE_MB: '1',
      SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: '9',
      SVC_FETCH_ALLOW_HOSTS: '127.0.0.1',
    }),
  );

  const serve = useServers();
  const status = async () => await service.read<DocbuilderStatus>('/v1/status');

  it('is shown as it is in force', async () => {
    expect(await status()).to.include({ edition: 'enterprise', dev_mode: true, sandbox: 'off' });
    const ready = await until('both workers stand ready', async () => {
      const { workers } = await status();
      return workers.idle === 2 ? workers : undefined;
    });
    expect(ready).to.deep.equal({ total: 2, idle: 2, busy: 0, restarts: 0 });
    const { limits } = await service.read<DocbuilderLimits>('/v1/limits');
    expect(limits).to.include({ parallel_jobs: 2, max_file_mb: 1, job_timeout_seconds: 9, sync_timeout_seconds: 60 });
  });

  it('SVC_BASE_URL: links begin with it, whatever was asked for; SVC_DOCBUILDER_WORKER_MAX_JOBS: workers end', async () => {
    const headers = { Accept: 'application/json', 'X-Forwarded-Proto': 'http' };
    const job = (await (await service.convert(TEXT, 'a.txt', { to: 'pdf' }, headers)).json()) as Job;
    const [output] = job.outputs;
    expect(output?.url).to.equal(`https://office.example/v1/files/${output?.file_id}`);
    await until('the worker is replaced', async () => (await status()).workers.restarts === 1);
  });

  it('SVC_DOCBUILDER_MAX_FILE_MB: a file of that size is taken, one byte more is not', async () => {
    const convert = (bytes: number) => service.convert(Buffer.alloc(bytes, 'a\n'), 'a.txt', { to: 'txt' });
    const refusal = { status: 413, code: 'file_too_large', detail: { limit_mb: 1 } };
    expect(await readError(await convert(MB + 1))).to.deep.equal(refusal);
    const taken = await convert(MB);
    expect(taken.status).to.not.equal(413);
    await taken.arrayBuffer();
  });

  it('SVC_DOCBUILDER_MAX_FILE_MB: nor are pictures of a script that are more than that together', async () => {
    const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    const gif = Buffer.concat([pixel, Buffer.alloc(0.6 * MB)]);
    const { port } = await serve((_request, response) => void response.end(gif));
    const picture = { type: 'image', url: `http://127.0.0.1:${port}/a.gif` };
    const script = { svcscript: 1, type: 'text', save: [{ format: 'docx' }], body: [picture, picture] };
    const detail = { limit_mb: 1, subject: 'pictures' };
    const refusal = await readError(await service.post('/v1/build', script));
    expect(refusal).to.deep.equal({ status: 413, code: 'file_too_large', detail });
  });
});
