import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ready, type ServiceProcess, spawnService } from '../support/process.ts';
import { form } from '../support/service.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('the build', () => {
  let folder: string;
  let service: ServiceProcess | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-build-'));
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.ts'), join(folder, 'dist')]);
    // As in an image: the package file and the modules beside dist/, no sources.
    await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });

  after(async () => {
    service?.child.kill('SIGKILL');
    await service?.ended;
    await rm(folder, { recursive: true, force: true });
    if (service) await rm(service.dataDir, { recursive: true, force: true });
  });

  it('runs without the sources: it starts, converts, serves its OpenAPI document and stops', async () => {
    service = await ready(await spawnService({}, join(folder, 'dist/cmd/docbuilder/main.js')));
    const body = form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf' });
    const response = await service.call('/v1/convert', { method: 'POST', body });
    expect(response.status).to.equal(200);
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 5)).to.equal('%PDF-');
    expect((await service.call('/v1/openapi.json')).status).to.equal(200);
    service.child.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
  });
});
