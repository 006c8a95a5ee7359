import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Job } from '../../src/common/generated/wire.ts';
import { processesNaming, ready, type ServiceProcess, spawnService } from '../support/process.ts';
import { form, readError, until } from '../support/service.ts';
import { slowSheet } from '../support/slow-sheet.ts';

const TEXT = Buffer.from('Xin chào\n');

describe('the DocBuilder process', function () {
  this.timeout(120_000);
  const services: ServiceProcess[] = [];
  const start = async (environment = {}): Promise<ServiceProcess> => {
    const service = await spawnService(environment);
    services.push(service);
    return ready(service);
  };
  const post = async (service: ServiceProcess, file: Uint8Array, name: string, fields: Record<string, string>) =>
    service.call('/v1/convert', { method: 'POST', body: form(file, name, fields) });
  const job = async (service: ServiceProcess, id: string) =>
    (await (await service.call(`/v1/jobs/${id}`)).json()) as Job;
  const running = async (service: ServiceProcess): Promise<string> => {
    const { id } = (await (await post(service, slowSheet(), 'slow.fods', { to: 'pdf', async: 'true' })).json()) as Job;
    await until('the job runs', async () => (await job(service, id)).status === 'running');
    return id;
  };

  afterEach(async () => {
    const all = services.splice(0);
    for (const { child } of all) child.kill('SIGKILL');
    await Promise.all(all.map(({ ended }) => ended));
    // Workers end with their service, a moment later.
    for (const { dataDir } of all) await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  it('names every mistake of its configuration and exits 2', async () => {
    const service = await spawnService({ SVC_DOCBUILDER_WORKERS: '0', SVC_LOG_LEVEL: 'loud' });
    services.push(service);
    expect(await service.ended).to.equal(2);
    expect(service.log()).to.contain('SVC_DOCBUILDER_WORKERS').and.contain('SVC_LOG_LEVEL');
  });

  it('leaves the data folder alone until the process that has it ends, which it says, and then starts in it', async () => {
    const service = await start({ SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: '4' });
    const second = await spawnService({ SVC_DOCBUILDER_DATA_DIR: service.dataDir });
    services.push(second);
    await until('the second waits', () => second.log().includes('in use by another process'));
    await writeFile(join(service.dataDir, 'tmp', 'upload'), 'x');
    const id = await running(service);
    service.child.kill('SIGTERM');
    await until('the first is stopping', () => service.log().includes('stopping'));
    expect((await job(service, id)).status).to.equal('running');
    expect(await readdir(join(service.dataDir, 'tmp'))).to.include('upload');
    expect(second.log()).not.to.contain('ready');

    expect(await service.ended).to.equal(0);
    await ready(second);
    expect((await job(second, id)).error).to.include({ code: 'timeout' });
    expect(await readdir(join(service.dataDir, 'tmp'))).to.deep.equal([]);

    const third = await spawnService({ SVC_DOCBUILDER_DATA_DIR: service.dataDir });
    services.push(third);
    await until('the third waits', () => third.log().includes('in use by another process'));
    third.child.kill('SIGTERM');
    expect(await third.ended, 'asked to end while it waits').to.equal(0);
  });

  it('logs JSON lines only, with an audit trail among them', async () => {
    const service = await start();
    expect((await post(service, TEXT, 'a.txt', { to: 'pdf' })).status).to.equal(200);
    expect((await fetch(`${service.url}/v1/limits`)).status).to.equal(401);
    service.child.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    const lines = service
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const audited = lines.filter(({ audit }) => audit === true).map(({ message }) => message);
    const expected = ['service.started', 'job.accepted', 'job.finished', 'auth.refused', 'service.stopped'];
    expect(audited.filter((message) => expected.includes(String(message)))).to.deep.equal(expected);
    expect(lines.find(({ message }) => message === 'job.accepted')).to.include({ caller: 'test' });
    expect(lines.find(({ msg }) => msg === 'request')).to.have.property('requestId');
  });

  it('on SIGTERM refuses new work with Retry-After, finishes what runs, fails what waits, exits 0, tells afterwards, and ends at once on a second signal', async () => {
    const service = await start({ SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: '4' });
    const id = await running(service);
    const waiting = (await (await post(service, TEXT, 'a.txt', { to: 'pdf', async: 'true' })).json()) as Job;
    service.child.kill('SIGTERM');
    await until('it is stopping', () => service.log().includes('stopping'));
    const refused = await post(service, TEXT, 'a.txt', { to: 'pdf' });
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    const unavailable = { code: 'pool_unavailable', detail: { reason: 'stopping' } };
    expect(await readError(refused)).to.deep.include({ status: 503, ...unavailable });
    expect((await job(service, waiting.id)).error).to.include({ code: 'pool_unavailable' });
    expect(await service.ended).to.equal(0);
    expect(processesNaming(service.dataDir)).to.deep.equal([]);

    const again = await start({ SVC_DOCBUILDER_DATA_DIR: service.dataDir });
    expect((await job(again, id)).error).to.include({ code: 'timeout' });
    expect((await job(again, waiting.id)).error).to.include({ code: 'pool_unavailable' });

    await running(again);
    again.child.kill('SIGTERM');
    await until('it is stopping', () => again.log().includes('stopping'));
    again.child.kill('SIGTERM');
    expect(await again.ended).to.equal(1);
    await until('no process is left', () => processesNaming(again.dataDir).length === 0);
  });

  it('killed in the middle of a job: no process stays, finished jobs survive, the lost one is not found, nothing is left over', async () => {
    const service = await start();
    const response = await service.call('/v1/convert', {
      method: 'POST',
      body: form(TEXT, 'a.txt', { to: 'pdf' }),
      headers: { Accept: 'application/json' },
    });
    const finished = (await response.json()) as Job;
    const lost = await running(service);
    service.child.kill('SIGKILL');
    expect(await service.ended).to.equal('SIGKILL');
    await until('no process is left', () => processesNaming(service.dataDir).length === 0);
    await writeFile(join(service.dataDir, 'tmp', 'left-over'), 'x');

    const again = await start({ SVC_DOCBUILDER_DATA_DIR: service.dataDir });
    expect((await job(again, finished.id)).status).to.equal('done');
    expect(await readError(await again.call(`/v1/jobs/${lost}`))).to.include({ status: 404, code: 'not_found' });
    expect(await readdir(join(service.dataDir, 'tmp'))).to.deep.equal([]);
    await until('what never ended is removed', async () => (await readdir(join(service.dataDir, 'jobs'))).length === 1);
    expect(await readdir(join(service.dataDir, 'jobs'))).to.deep.equal([finished.id]);
    expect(await readdir(join(service.dataDir, 'workers'))).to.have.length(1);
  });
});
