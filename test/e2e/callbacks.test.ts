import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Job, JobCallback } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { secret } from '../support/logs.ts';
import { freePort } from '../support/process.ts';
import { hex, sha256 } from '../support/receiver-events.ts';
import { RECEIVER_KINDS, type Receiver, startReceiver } from '../support/receivers.ts';
import { startEnterprise, until } from '../support/service.ts';

for (const kind of RECEIVER_KINDS) {
  describe(`DocBuilder and the ${kind} receiver`, () => {
    it('a job asked for with callback_url is told as done, and its file arrives whole', async () => {
      const callbackSecret = secret(hex(16));
      const port = await freePort();
      const service = await startEnterprise({
        SVC_DOCBUILDER_CALLBACK_SECRET: callbackSecret,
        SVC_FETCH_ALLOW_HOSTS: `127.0.0.1:${port}`,
      });
      let receiver: Receiver | undefined;
      try {
        receiver = await startReceiver(kind, {
          CALLBACK_SECRET: callbackSecret,
          SVC_BASE_URL: service.url,
          SVC_API_KEY: service.key,
          RECEIVER_LISTEN: `127.0.0.1:${port}`,
        });
        const fields = { to: 'pdf', async: 'true', callback_url: receiver.url };
        const accepted = (await (await service.convert(Buffer.from('Xin chào\n'), 'a.txt', fields)).json()) as Job;
        const { log, directory } = receiver;
        await until('the file is downloaded', () => log().includes(' downloaded ') || undefined);
        expect(log()).to.match(new RegExp(` recorded event=job\\.done delivery=\\S+ job=${accepted.id}\n`));
        const { outputs, callback } = await until('the service knows', async () => {
          const job = await service.ended(accepted.id);
          return job.callback?.state === 'pending' ? undefined : job;
        });
        expect(callback).to.deep.equal({ state: 'delivered', attempts: 1, last_status: 204, next_attempt_at: null });
        const file = await readFile(join(directory, 'files', `${outputs[0]?.file_id}.pdf`));
        expect(sha256(file)).to.equal(outputs[0]?.sha256);
        expect(file.subarray(0, 5).toString()).to.equal('%PDF-');
      } finally {
        await receiver?.stop();
        await service.stop();
      }
    });
  });
}

describe('docs/callbacks.md', () => {
  it('shows a body as the service sends it', async () => {
    const [, body = ''] = /```json\n([^`]*)```/.exec(await readFile('docs/callbacks.md', 'utf8')) ?? [];
    expect(validator<JobCallback>('job-callback.json')(JSON.parse(body))).to.include({ ok: true });
  });
});
