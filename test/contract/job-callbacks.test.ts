import { expect } from 'chai';
import { verifyCallback } from '../../src/common/crypto/signature.ts';
import type { Job, JobCallback } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { startCanary } from '../support/canary.ts';
import { callbackReceiver } from '../support/gate-receiver.ts';
import { errorOf, startEnterprise, type TestService, until } from '../support/service.ts';

const TEXT = Buffer.from('Xin chào\n');
const SECRET = 'a-callback-secret-for-a-test';
const ALLOWED = { SVC_FETCH_ALLOW_HOSTS: '127.0.0.1' };

type Receiver = Awaited<ReturnType<typeof callbackReceiver>>;

describe('job callbacks', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  async function start(...options: Parameters<typeof startEnterprise>): Promise<TestService> {
    const service = await startEnterprise(...options);
    ends.push(() => service.stop());
    return service;
  }
  async function listen(behave: Parameters<typeof callbackReceiver>[0]): Promise<Receiver> {
    const receiver = await callbackReceiver(behave);
    ends.push(() => receiver.stop());
    return receiver;
  }
  const convert = async (service: TestService, callback_url: string): Promise<Job> => {
    const response = await service.convert(TEXT, 'a.txt', { to: 'pdf', async: 'true', callback_url });
    return (await response.json()) as Job;
  };
  const becomes = (service: TestService, { id }: Pick<Job, 'id'>, matches: (job: Job) => boolean) =>
    until('the callback is as it should be', async () => {
      const job = await service.read<Job>(`/v1/jobs/${id}`);
      return matches(job) ? job : undefined;
    });

  it('are signed, sent once when it goes well, and shown in the job', async () => {
    const receiver = await listen(() => (receiver.arrived.length === 0 ? 500 : 204));
    const environment = { ...ALLOWED, SVC_DOCBUILDER_CALLBACK_SECRET: SECRET };
    const service = await start(environment, { callbackSchedule: [0, 50, 100] });
    const accepted = await convert(service, receiver.url);
    expect(accepted.callback).to.include({ state: 'pending', attempts: 0 });
    const job = await becomes(service, accepted, ({ callback }) => callback?.state === 'delivered');
    expect(job.callback).to.deep.equal({ state: 'delivered', attempts: 2, last_status: 204, next_attempt_at: null });
    for (const { headers, raw } of receiver.arrived) {
      expect(headers).to.include({ 'x-svc-event': 'job.done', 'user-agent': 'SVC-DocBuilder/1.0' });
      expect(headers['x-svc-delivery']).to.equal(receiver.arrived[0]?.headers['x-svc-delivery']);
      const signed = { timestamp: String(headers['x-svc-timestamp']), signature: String(headers['x-svc-signature']) };
      expect(verifyCallback(SECRET, signed, raw)).to.equal(true);
      expect(JSON.parse(raw)).to.have.nested.property('job.id', job.id);
    }
  });

  it('are given up after three attempts, follow no redirect, and need async', async () => {
    const receiver = await listen(() => 302);
    const service = await start(ALLOWED, { callbackSchedule: [0, 20, 20] });
    const job = await convert(service, receiver.url);
    const failed = await becomes(service, job, ({ callback }) => callback?.state === 'failed');
    expect(failed).to.include({ status: 'done' });
    expect(failed.callback).to.deep.equal({ state: 'failed', attempts: 3, last_status: 302, next_attempt_at: null });
    const fields = { to: 'pdf', callback_url: receiver.url };
    expect(await errorOf(await service.convert(TEXT, 'a.txt', fields))).to.include({
      status: 400,
      code: 'bad_request',
    });
  });

  it('tell of a job that failed, with what GET shows of it; unsigned where there is no key', async () => {
    const receiver = await listen(() => 200);
    const source = await startCanary((_request, answer) => void answer.writeHead(404).end());
    ends.push(source.close);
    const service = await start(ALLOWED);
    const request = {
      url: `http://127.0.0.1:${source.port}/a.docx`,
      to: 'pdf',
      async: true,
      callback_url: receiver.url,
    };
    const response = await service.post('/v1/convert', request);
    expect(response.status).to.equal(202);
    const accepted = (await response.json()) as Job;
    const job = await becomes(service, accepted, ({ callback }) => callback?.state === 'delivered');
    expect(job).to.deep.include({ status: 'failed', outputs: [] });
    expect(job.error).to.deep.include({ code: 'download_failed', detail: { reason: 'status', status: 404 } });
    const [told, ...more] = receiver.arrived;
    expect(more).to.deep.equal([]);
    expect(told?.headers).to.include({
      ...{ 'content-type': 'application/json; charset=utf-8', 'user-agent': 'SVC-DocBuilder/1.0' },
      'x-svc-event': 'job.failed',
    });
    expect(told?.headers['x-svc-delivery']).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(Math.abs(Number(told?.headers['x-svc-timestamp']) - Date.now() / 1000)).to.be.below(60);
    expect(told?.headers).to.not.have.property('x-svc-signature');
    const body = JSON.parse(told?.raw ?? '') as JobCallback;
    expect(validator('job-callback.json')(body)).to.have.property('ok', true);
    const { callback: _, ...facts } = job;
    const { callback: __, ...said } = body.job;
    expect({ event: body.event, job: said }).to.deep.equal({ event: 'job.failed', job: facts });
  });
});
