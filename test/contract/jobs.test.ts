import { createServer } from 'node:http';
import { expect } from 'chai';
import { request } from 'undici';
import type { DocbuilderStatus, Job } from '../../src/common/generated/wire.ts';
import { portOf } from '../support/listen.ts';
import { errorOf, form, startEnterprise, startService, type TestService, until } from '../support/service.ts';
import { slowSheet } from '../support/slow-sheet.ts';

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

  it('carry their Vietnamese name, type, hash and no permission to be guessed at', async () => {
    const { headers } = await service.call(path);
    expect(headers.get('content-disposition')).to.contain("filename*=UTF-8''L%E1%BB%9Di%20ch%C3%A0o.pdf");
    expect(headers.get('content-type')).to.equal('application/pdf');
    expect(headers.get('etag')).to.equal(`"${job.outputs[0]?.sha256}"`);
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
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
    expect((await service.call(path, { method: 'HEAD' })).headers.get('content-length')).to.equal(String(whole.length));
  });

  it('need the key', async () => {
    expect(await errorOf(await fetch(`${service.url}${path}`))).to.include({ status: 401 });
  });

  it('are gone after their retention, like their job; what never was is not found', async () => {
    expect(Date.parse(job.expires_at ?? '') - Date.parse(job.finished_at ?? '')).to.equal(DAY);
    state.now += DAY;
    expect(await errorOf(await service.call(path))).to.include({ status: 410, code: 'gone' });
    expect(await errorOf(await service.call(`/v1/jobs/${job.id}`))).to.include({ status: 410, code: 'gone' });
    for (const unknown of [
      '/v1/jobs/job_aaaaaaaaaaaaaaaaaaaaaaaa',
      '/v1/jobs/job_000000000000000000000000',
      '/v1/files/file_1',
      `/v1/files/${job.id}`,
    ]) {
      expect(await errorOf(await service.call(unknown)), unknown).to.include({ status: 404, code: 'not_found' });
    }
  });

  it('survive a restart, and so does the difference between gone and never there', async () => {
    const kept = await convert(service);
    const keptPath = new URL(kept.outputs[0]?.url ?? '').pathname;
    await service.stop({ keep: true });
    service = await startEnterprise({ SVC_DOCBUILDER_DATA_DIR: service.dataDir }, { clock: () => state.now });
    expect(await (await service.call(`/v1/jobs/${kept.id}`)).json()).to.deep.equal(kept);
    expect((await service.call(keptPath)).status).to.equal(200);
    expect(await errorOf(await service.call(path))).to.include({ status: 410 });
    expect(await errorOf(await service.call(`/v1/jobs/${job.id}`))).to.include({ status: 410 });
  });
});

describe('the queue', () => {
  it('holds ten jobs in Community, then refuses with queue_full and Retry-After before a body is read', async () => {
    const state = { now: Date.now() };
    const service = await startService({}, { clock: () => state.now });
    try {
      const queue = async () => ((await (await service.call('/v1/status')).json()) as DocbuilderStatus).queue;
      for (let i = 0; i < 11; i += 1) {
        // Community's ten requests a minute are not what is tested here.
        state.now += 60_000;
        const [file, name] = i === 0 ? [slowSheet(), 'slow.fods'] : [TEXT, 'a.txt'];
        expect((await service.convert(file, name, { to: 'pdf', async: 'true' })).status).to.equal(202);
      }
      expect(await queue()).to.deep.equal({ queued: 10, running: 1 });
      state.now += 60_000;
      const refused = await service.call('/v1/convert', { method: 'POST' });
      expect(refused.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
      expect(await errorOf(refused)).to.deep.include({ status: 503, code: 'queue_full', detail: { limit: 10 } });
    } finally {
      await service.docbuilder.engine.stop();
      await service.stop();
    }
  });
});

describe('a client that leaves', () => {
  it('takes its job along, also one that runs: the worker is free for the next', async () => {
    const service = await startService();
    const workers = async () => ((await (await service.call('/v1/status')).json()) as DocbuilderStatus).workers;
    try {
      const leaving = new AbortController();
      const init = { method: 'POST', body: form(slowSheet(), 'slow.fods', { to: 'pdf' }), signal: leaving.signal };
      const left = service.call('/v1/convert', init).catch((error: Error) => error.name);
      await until('the job runs', async () => (await workers()).busy === 1 || undefined);
      leaving.abort();
      expect(await left).to.equal('AbortError');
      const started = performance.now();
      expect((await service.convert(TEXT, 'a.txt', { to: 'pdf' })).status).to.equal(200);
      // The job would have had a minute.
      expect(performance.now() - started).to.be.below(15_000);
    } finally {
      await service.docbuilder.engine.stop();
      await service.stop();
    }
  });
});

describe('job callbacks', () => {
  it('are signed, sent once when it goes well, and shown in the job', async () => {
    const received: { headers: NodeJS.Dict<string | string[]>; body: Buffer }[] = [];
    const receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(received.length === 1 ? 500 : 204).end();
    }).listen(0, '127.0.0.1');
    const port = await portOf(receiver);
    const secretKey = 'a-callback-secret-for-a-test';
    const service = await startEnterprise(
      { SVC_FETCH_ALLOW_HOSTS: '127.0.0.1', SVC_DOCBUILDER_CALLBACK_SECRET: secretKey },
      { callbackSchedule: [0, 50, 100] },
    );
    try {
      const response = await service.convert(TEXT, 'a.txt', {
        to: 'pdf',
        async: 'true',
        callback_url: `http://127.0.0.1:${port}/done`,
      });
      const accepted = (await response.json()) as Job;
      expect(accepted.callback).to.include({ state: 'pending', attempts: 0 });
      const job = await until('the callback is delivered', async () => {
        const now = (await (await service.call(`/v1/jobs/${accepted.id}`)).json()) as Job;
        return now.callback?.state === 'delivered' ? now : undefined;
      });
      expect(job.callback).to.deep.equal({ state: 'delivered', attempts: 2, last_status: 204, next_attempt_at: null });
      const { verifyCallback } = await import('../../src/common/crypto/signature.ts');
      for (const { headers, body } of received) {
        expect(headers).to.include({ 'x-svc-event': 'job.done', 'user-agent': 'SVC-DocBuilder/1.0' });
        expect(headers['x-svc-delivery']).to.equal(received[0]?.headers['x-svc-delivery']);
        const signed = { timestamp: String(headers['x-svc-timestamp']), signature: String(headers['x-svc-signature']) };
        expect(verifyCallback(secretKey, signed, body)).to.equal(true);
        expect(JSON.parse(body.toString())).to.have.nested.property('job.id', job.id);
      }
    } finally {
      receiver.close();
      await service.stop();
    }
  });

  it('are given up after three attempts', async () => {
    const receiver = createServer((_request, response) =>
      response.writeHead(302, { Location: '/elsewhere' }).end(),
    ).listen(0, '127.0.0.1');
    const port = await portOf(receiver);
    const service = await startEnterprise({ SVC_FETCH_ALLOW_HOSTS: '127.0.0.1' }, { callbackSchedule: [0, 20, 20] });
    try {
      const response = await service.convert(TEXT, 'a.txt', {
        to: 'xyz',
        async: 'true',
        callback_url: `http://127.0.0.1:${port}/`,
      });
      expect(response.status).to.equal(415);
      const job = (await (
        await service.convert(TEXT, 'a.txt', { to: 'pdf', async: 'true', callback_url: `http://127.0.0.1:${port}/` })
      ).json()) as Job;
      const failed = await until('the callback is given up', async () => {
        const now = (await (await service.call(`/v1/jobs/${job.id}`)).json()) as Job;
        return now.callback?.state === 'failed' ? now : undefined;
      });
      expect(failed).to.include({ status: 'done' });
      expect(failed.callback).to.deep.equal({ state: 'failed', attempts: 3, last_status: 302, next_attempt_at: null });
    } finally {
      receiver.close();
      await service.stop();
    }
  });

  it('need async', async () => {
    const service = await startEnterprise();
    try {
      const error = await errorOf(
        await service.convert(TEXT, 'a.txt', { to: 'pdf', callback_url: 'https://example.com/' }),
      );
      expect(error).to.include({ status: 400, code: 'bad_request' });
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
      const state = async ({ id }: Job): Promise<string> =>
        ((await (await service.call(`/v1/jobs/${id}`)).json()) as Job).status;
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
