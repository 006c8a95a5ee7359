import { expect } from 'chai';
import type { Environment } from '../../src/common/config.ts';
import { verifyCallback } from '../../src/common/crypto/signature.ts';
import type { Job, JobCallback } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { startCanary } from '../support/canary.ts';
import { callbackReceiver } from '../support/gate-receiver.ts';
import { readError, startEnterprise, type TestService, until } from '../support/service.ts';

const TEXT = Buffer.from('Xin chào\n');
const SECRET = 'a-callback-secret-for-a-test';
const SIGNED = { SVC_DOCBUILDER_CALLBACK_SECRET: SECRET };

describe('job callbacks', () => {
  let service: TestService;
  let receiver: Awaited<ReturnType<typeof callbackReceiver>>;
  let answer: () => number;
  beforeEach(async () => {
    receiver = await callbackReceiver(() => answer());
  });
  afterEach(() => Promise.all([service.stop(), receiver.stop()]));

  const start = async (environment: Environment = {}) => {
    service = await startEnterprise(
      { SVC_FETCH_ALLOW_HOSTS: '127.0.0.1', ...environment },
      { callbackSchedule: [0, 20, 20] },
    );
  };
  const convert = async (): Promise<Job> => {
    const fields = { to: 'pdf', async: 'true', callback_url: receiver.url };
    return (await (await service.convert(TEXT, 'a.txt', fields)).json()) as Job;
  };
  const becomes = ({ id }: Job, state: string) =>
    until(`the callback is ${state}`, async () => {
      const job = await service.read<Job>(`/v1/jobs/${id}`);
      return job.callback?.state === state ? job : undefined;
    });

  it('are signed, sent once when it goes well, and shown in the job', async () => {
    answer = () => (receiver.arrived.length === 0 ? 500 : 204);
    await start(SIGNED);
    const accepted = await convert();
    expect(accepted.callback).to.include({ state: 'pending', attempts: 0 });
    const job = await becomes(accepted, 'delivered');
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
    answer = () => 302;
    await start();
    const failed = await becomes(await convert(), 'failed');
    expect(failed).to.include({ status: 'done' });
    expect(failed.callback).to.deep.equal({ state: 'failed', attempts: 3, last_status: 302, next_attempt_at: null });
    const fields = { to: 'pdf', callback_url: receiver.url };
    expect(await readError(await service.convert(TEXT, 'a.txt', fields))).to.include({
      status: 400,
      code: 'bad_request',
    });
  });

  it('tell of a job that failed, with what GET shows of it; unsigned where there is no key', async () => {
    answer = () => 200;
    const source = await startCanary((_request, response) => void response.writeHead(404).end());
    await start();
    const url = `http://127.0.0.1:${source.port}/a.docx`;
    const response = await service.post('/v1/convert', { url, to: 'pdf', async: true, callback_url: receiver.url });
    expect(response.status).to.equal(202);
    const job = await becomes((await response.json()) as Job, 'delivered');
    await source.close();
    expect(job).to.deep.include({ status: 'failed', outputs: [] });
    expect(job.error).to.deep.include({ code: 'download_failed', detail: { reason: 'status', status: 404 } });
    const [arrived, ...more] = receiver.arrived;
    expect(more).to.deep.equal([]);
    expect(arrived?.headers).to.include({
      ...{ 'content-type': 'application/json; charset=utf-8', 'user-agent': 'SVC-DocBuilder/1.0' },
      'x-svc-event': 'job.failed',
    });
    expect(arrived?.headers['x-svc-delivery']).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(Math.abs(Number(arrived?.headers['x-svc-timestamp']) - Date.now() / 1000)).to.be.below(60);
    expect(arrived?.headers).to.not.have.property('x-svc-signature');
    const body = JSON.parse(arrived?.raw ?? '') as JobCallback;
    expect(validator('job-callback.json')(body)).to.have.property('ok', true);
    const { callback: _, ...facts } = job;
    const { callback: __, ...said } = body.job;
    expect({ event: body.event, job: said }).to.deep.equal({ event: 'job.failed', job: facts });
  });
});
