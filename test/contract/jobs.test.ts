import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import type { DocbuilderStatus, Job } from '../../src/common/generated/wire.ts';
import { useCanary } from '../support/canary.ts';
import {
  form,
  readError,
  startEnterprise,
  startService,
  type TestService,
  until,
  useService,
} from '../support/service.ts';
import { slowSheet } from '../support/slow-sheet.ts';
import { isShared } from '../support/test-store.ts';

const TEXT = Buffer.from('Xin chào các bạn\n');
const DAY = 86_400_000;

async function convert(service: TestService, fields: Record<string, string> = {}): Promise<Job> {
  const response = await service.convert(
    TEXT,
    'Lời chào.txt',
    { to: 'pdf', ...fields },
    { Accept: 'application/json' },
  );
  return (await response.json()) as Job;
}

describe('result files', () => {
  // Set when it begins: a licence that is issued later than now does not count yet.
  const state = { now: 0 };
  let service: TestService;
  let job: Job;
  let path: string;
  before(async () => {
    state.now = Date.now();
    service = await startEnterprise({}, { clock: () => state.now });
    job = await convert(service);
    path = new URL(job.outputs[0]?.url ?? '').pathname;
  });
  after(() => service.stop());

  it('and all other answers with documents are shown or guessed at by no browser, and kept by nobody else', async () => {
    const post = (what: string, fields: Record<string, string>) =>
      service.call(`/v1/${what}`, { method: 'POST', body: form(TEXT, 'a.txt', fields) });
    for (const [answer, cached] of [
      [await post('convert', { to: 'txt' }), 'no-store'],
      [await post('extract/text', { format: 'text' }), 'no-store'],
      [await post('extract/thumbnail', {}), 'no-store'],
      [await service.call(path), 'private, no-cache'],
    ] as const) {
      expect(answer.status, answer.url).to.equal(200);
      expect(answer.headers.get('x-content-type-options'), answer.url).to.equal('nosniff');
      expect(answer.headers.get('content-disposition'), answer.url).to.match(/^attachment; /);
      expect(answer.headers.get('cache-control'), answer.url).to.equal(cached);
      expect(answer.headers.get('x-powered-by')).to.equal(null);
    }
  });

  it('carry their Vietnamese name, type and hash, and need the key', async () => {
    expect(await readError(await fetch(`${service.url}${path}`))).to.include({ status: 401 });
    const { headers } = await service.call(path);
    expect(headers.get('content-disposition')).to.contain("filename*=UTF-8''L%E1%BB%9Di%20ch%C3%A0o.pdf");
    expect(headers.get('content-type')).to.equal('application/pdf');
    expect(headers.get('etag')).to.equal(`"${job.outputs[0]?.sha256}"`);
    expect(headers.get('accept-ranges')).to.equal('bytes');
  });

  it('answer ranges and conditions', async () => {
    const whole = Buffer.from(await (await service.call(path)).arrayBuffer());
    const part = await service.call(path, { headers: { Range: 'bytes=0-3' } });
    expect(part.status).to.equal(206);
    expect(Buffer.from(await part.arrayBuffer())).to.deep.equal(whole.subarray(0, 4));
    expect(part.headers.get('content-range')).to.equal(`bytes 0-3/${whole.length}`);
    expect((await service.call(path, { headers: { Range: `bytes=${whole.length}-` } })).status).to.equal(416);
    const etag = `"${job.outputs[0]?.sha256}"`;
    // fetch would add Cache-Control: no-cache, which asks for the file all the same.
    const headers = { authorization: `Bearer ${service.key}`, 'if-none-match': etag };
    expect((await request(`${service.url}${path}`, { headers })).statusCode).to.equal(304);
    expect((await service.call(path, { headers: { Range: 'bytes=0-3', 'If-Range': '"other"' } })).status).to.equal(200);
    // Only GET has ranges (RFC 9110, 14.2).
    const head = await service.call(path, { method: 'HEAD', headers: { Range: 'bytes=0-1' } });
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(whole.length)]);
  });

  it('that are there no more although their job is known are gone, and nobody learns where they were', async function () {
    if (isShared) return this.skip();
    const { id, outputs } = await convert(service);
    const file = outputs[0]?.file_id ?? '';
    await rm(join(service.dataDir, 'jobs', id, file));
    const gone = { status: 410, code: 'gone', detail: {} };
    expect(await readError(await service.call(`/v1/files/${file}`))).to.deep.equal(gone);
  });

  it('are gone after their retention, like their job; what never was is not found', async () => {
    expect(Date.parse(job.expires_at ?? '') - Date.parse(job.finished_at ?? '')).to.equal(DAY);
    state.now += DAY;
    expect(await readError(await service.call(path))).to.include({ status: 410, code: 'gone' });
    expect(await readError(await service.call(`/v1/jobs/${job.id}`))).to.include({ status: 410, code: 'gone' });
    for (const unknown of [
      '/v1/jobs/job_aaaaaaaaaaaaaaaaaaaaaaaa',
      '/v1/jobs/job_000000000000000000000000',
      '/v1/files/file_1',
      `/v1/files/${job.id}`,
    ]) {
      expect(await readError(await service.call(unknown)), unknown).to.include({ status: 404, code: 'not_found' });
    }
  });

  it('survive a restart, and so does the difference between gone and never there', async () => {
    const kept = await convert(service);
    const keptPath = new URL(kept.outputs[0]?.url ?? '').pathname;
    await service.stop({ keep: true });
    service = await startEnterprise({ SVC_DOCBUILDER_DATA_DIR: service.dataDir }, { clock: () => state.now });
    expect(await (await service.call(`/v1/jobs/${kept.id}`)).json()).to.deep.equal(kept);
    expect((await service.call(keptPath)).status).to.equal(200);
    expect(await readError(await service.call(path))).to.include({ status: 410 });
    expect(await readError(await service.call(`/v1/jobs/${job.id}`))).to.include({ status: 410 });
  });
});

describe('the queue', () => {
  it('holds ten jobs in Community, then refuses; without an engine they fail, and it is not the fault of a document', async () => {
    const state = { now: Date.now() };
    const service = await startService({ SVC_DOCBUILDER_WORKERS: '1' }, { clock: () => state.now });
    try {
      const queue = async () => (await service.read<DocbuilderStatus>('/v1/status')).queue;
      let last = '';
      for (let i = 0; i < 11; i += 1) {
        // Community's ten requests a minute are not what is tested here.
        state.now += 60_000;
        const [file, name] = i === 0 ? [slowSheet(), 'slow.fods'] : [TEXT, 'a.txt'];
        const accepted = await service.convert(file, name, { to: 'pdf', async: 'true' });
        expect(accepted.status).to.equal(202);
        last = ((await accepted.json()) as Job).id;
      }
      expect(await queue()).to.deep.equal({ queued: 10, running: 1 });
      state.now += 60_000;
      // Before a body is read.
      const refused = await service.call('/v1/convert', { method: 'POST' });
      expect(refused.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
      expect(await readError(refused)).to.deep.include({ status: 503, code: 'queue_full', detail: { limit: 10 } });

      await service.docbuilder.engine.stop();
      const noWorker = { code: 'pool_unavailable', detail: { reason: 'no_worker' } };
      expect((await service.ended(last)).error).to.deep.include(noWorker);
      const response = await service.convert(TEXT, 'a.txt', { to: 'pdf' });
      expect(response.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
      expect(await readError(response)).to.deep.equal({ status: 503, ...noWorker });
    } finally {
      await service.docbuilder.engine.stop();
      await service.stop();
    }
  }).timeout(60_000);
});

describe('a source that never comes', () => {
  const source = useCanary(() => {});
  const service = useService(() =>
    startEnterprise({ SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: '1', SVC_FETCH_ALLOW_HOSTS: '127.0.0.1' }),
  );
  const send = (path: string, fields: object) =>
    service.post(path, { url: `http://127.0.0.1:${source.port}/a.docx`, async: true, ...fields });
  const late = { code: 'timeout', detail: { scope: 'job', limit_seconds: 1 } };

  it('ends an async job after the job timeout, whether it is waited for before the 202 or afterwards', async () => {
    const accepted = (await (await send('/v1/convert', { to: 'pdf' })).json()) as Job;
    expect(await readError(await send('/v1/template/render', { data: {} }))).to.deep.equal({ status: 504, ...late });
    expect((await service.ended(accepted.id)).error).to.deep.include(late);
    await until('nothing is left of both', async () => source.open === 0 && (await service.temporaries()).length === 0);
  });
});

describe('a client that leaves', () => {
  it('takes its job along, also one that runs: the worker is free for the next', async () => {
    const service = await startService();
    try {
      const leaving = new AbortController();
      const init = { method: 'POST', body: form(slowSheet(), 'slow.fods', { to: 'pdf' }), signal: leaving.signal };
      const left = service.call('/v1/convert', init).catch((error: Error) => error.name);
      await until('the job runs', async () => (await service.read<DocbuilderStatus>('/v1/status')).workers.busy === 1);
      leaving.abort();
      expect(await left).to.equal('AbortError');
      const started = performance.now();
      expect((await service.convert(TEXT, 'a.txt', { to: 'pdf' })).status).to.equal(200);
      // The job would have had a minute.
      expect(performance.now() - started).to.be.below(15_000);
    } finally {
      await service.stop();
    }
  });
});

describe('slow documents', function () {
  this.timeout(60_000);

  it('leave one worker to those that somebody waits for, and go on later', async () => {
    const service = await startEnterprise({ SVC_DOCBUILDER_WORKERS: '2' });
    try {
      const send = async (): Promise<Job> => {
        const sent = await service.convert(slowSheet(), 'slow.fods', { to: 'pdf', async: 'true' });
        return (await sent.json()) as Job;
      };
      const slow = [await send(), await send(), await send()];
      const state = async ({ id }: Job) => (await service.read<Job>(`/v1/jobs/${id}`)).status;
      await until('a second slow job', async () => (await state(slow[1] as Job)) === 'running');
      for (let count = 0; count < 5; count++) expect(await convert(service)).to.include({ status: 'done' });
      // Each of them took the other place for a second at most, until somebody waited.
      expect(await Promise.all(slow.map(state))).to.deep.equal(['running', 'queued', 'queued']);
    } finally {
      await service.docbuilder.engine.stop();
      await service.stop();
    }
  });
});
