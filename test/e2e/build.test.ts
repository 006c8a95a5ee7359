import { execFile } from 'node:child_process';
import { copyFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePorts } from '../../cmd/local/port.ts';
import { GATE_FLAGS } from '../../src/common/node-flags.ts';
import { useFolder } from '../support/folder.ts';
import { ready, type ServiceProcess, spawnMain, spawnService } from '../support/process.ts';
import { form } from '../support/service.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('the build', function () {
  this.timeout(60_000);
  const folder = useFolder();
  let service: ServiceProcess | undefined;
  let gate: ReturnType<typeof spawnMain> | undefined;

  before(async () => {
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.ts'), folder.at('dist')]);
    // An image has the package file and the modules beside dist/, and no sources.
    await copyFile(join(ROOT, 'package.json'), folder.at('package.json'));
    await symlink(join(ROOT, 'node_modules'), folder.at('node_modules'));
  });

  after(async () => {
    service?.child.kill('SIGKILL');
    await service?.ended;
    gate?.child.kill('SIGKILL');
    if (service) await rm(service.dataDir, { recursive: true, force: true });
  });

  it('runs without the sources: it starts, converts, serves its OpenAPI document and stops', async () => {
    service = await ready(await spawnService({}, folder.at('dist/cmd/docbuilder/main.js')));
    const body = form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf' });
    const response = await service.call('/v1/convert', { method: 'POST', body });
    expect(response.status).to.equal(200);
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 5)).to.equal('%PDF-');
    expect((await service.call('/v1/openapi.json')).status).to.equal(200);
    service.child.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
  });

  it('has a gate that starts without the sources and esbuild, serves its library, and stops', async () => {
    const [port = 0, internalPort = 0] = await freePorts(2);
    // The image has only the modules that the service needs: what bundles for browsers is not among them.
    const noEsbuild = folder.at('no-esbuild.mjs');
    await writeFile(
      noEsbuild,
      `import { registerHooks } from 'node:module';
       registerHooks({ resolve(name, context, next) {
         if (name === 'esbuild') throw new Error('esbuild is for development');
         return next(name, context);
       } });`,
    );
    gate = spawnMain(
      folder.at('dist/cmd/gate/main.js'),
      {
        SVC_GATE_LISTEN: `127.0.0.1:${port}`,
        SVC_GATE_INTERNAL_LISTEN: `127.0.0.1:${internalPort}`,
        SVC_GATE_DATA_DIR: folder.at('gate'),
        // Nothing listens there: the gate starts without an editor.
        SVC_ONLINE_URL: 'http://127.0.0.1:9',
      },
      [...GATE_FLAGS, '--import', noEsbuild],
    );
    const { child, ended, log } = gate;
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await until('the gate answers', async () => {
      if (child.exitCode !== null) throw new Error(`ended early:\n${log()}`);
      const response = await get('/svc/healthz').catch(() => undefined);
      await response?.body?.cancel();
      return response?.ok;
    });

    const library = await get('/svc/api.js');
    expect(library.status).to.equal(200);
    expect(await library.text()).to.include('Editor');
    expect(await (await get('/svc/api.d.ts')).text()).to.include('SVC');
    child.kill('SIGTERM');
    expect(await ended).to.equal(0);
  });
});
