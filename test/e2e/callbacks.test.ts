import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Job, JobCallback } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { secret } from '../support/logs.ts';
import { hex, sha256 } from '../support/receiver-events.ts';
import { RECEIVER_KINDS, startReceiver } from '../support/receivers.ts';
import { startEnterprise, type TestService, until } from '../support/service.ts';

describe('DocBuilder and receivers of callbacks', () => {
  const callbackSecret = secret(hex(16));
  let service: TestService;
  before(async () => {
    service = await startEnterprise({
      SVC_DOCBUILDER_CALLBACK_SECRET: callbackSecret,
      SVC_FETCH_ALLOW_HOSTS: '127.0.0.1',
    });
  });
  after(() => service.stop());

  for (const kind of RECEIVER_KINDS) {
    it(`a job asked for with callback_url is told to the ${kind} receiver as done, and its file arrives whole`, async () => {
      const receiver = await startReceiver(kind, {
        CALLBACK_SECRET: callbackSecret,
        SVC_BASE_URL: service.url,
        SVC_API_KEY: service.key,
      });
      try {
        const fields = { to: 'pdf', async: 'true', callback_url: receiver.url };
        const accepted = (await (await service.convert(Buffer.from('Xin chào\n'), 'a.txt', fields)).json()) as Job;
        await receiver.logged(' downloaded ');
        expect(receiver.log()).to.match(new RegExp(` recorded event=job\\.done delivery=\\S+ job=${accepted.id}\n`));
        const { outputs, callback } = await until('the service knows', async () => {
          const job = await service.ended(accepted.id);
          return job.callback?.state === 'pending' ? undefined : job;
        });
        expect(callback).to.deep.equal({ state: 'delivered', attempts: 1, last_status: 204, next_attempt_at: null });
        const file = await receiver.kept(`${outputs[0]?.file_id}.pdf`);
        expect(sha256(file)).to.equal(outputs[0]?.sha256);
        expect(file.subarray(0, 5).toString()).to.equal('%PDF-');
      } finally {
        await receiver.stop();
      }
    });
  }
});

describe('docs/callbacks.md', () => {
  it('shows a body as the service sends it', async () => {
    const [, body = ''] = /```json\n([^`]*)```/.exec(await readFile('docs/callbacks.md', 'utf8')) ?? [];
    expect(validator<JobCallback>('job-callback.json')(JSON.parse(body))).to.include({ ok: true });
  });
});
