import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { BROWSERS } from '../browser/support/browsers.ts';
import { useFolder } from '../support/folder.ts';
import { listeningPort } from '../support/listen.ts';
import { freePort, processesNaming } from '../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The check as an administrator runs it; without an editor it tries the stand-in. */
async function check(parameters: readonly string[], folder = tmpdir()) {
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, ['scripts/editor-check/main.ts', ...parameters], { cwd: ROOT, env });
  const ended = once(child, 'close');
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await ended)[0] as number, out, errors };
}

describe('npm run editor-check', function () {
  this.timeout(120_000);
  const folder = useFolder();

  it('plays bad days with the stand-in, tells each in a table, and leaves nothing behind', async function () {
    const path = BROWSERS.find(({ name }) => name === 'chrome')?.path;
    if (path === undefined) return this.skip();
    const port = String(await freePort());
    const days = ['gate-killed-in-exit-save', 'browser-killed'];
    const parameters = ['--quick', '--markdown', '--openings', '1', '--port', port, '--only', days.join()];
    const { code, out, errors } = await check([...parameters, '--browser-path', path], folder.path);
    expect(code, errors).to.equal(0);
    for (const day of days)
      expect(out).to.match(new RegExp(`^\\| ${day} \\| .* \\| 1 \\| 0 of 1 \\| .* \\| ok \\|$`, 'm'));
    expect(out).to.match(/\d+\.\d\d s from new SVC\.Editor; \d+\.\d\d s with the same editor without gate and front/);
    expect(processesNaming(folder.path)).to.deep.equal([]);
    expect((await readdir(folder.path)).filter((name) => name.startsWith('svc-'))).to.deep.equal([]);
  });

  it('names the days, and says what it does not understand', async () => {
    const list = await check(['--list']);
    expect(list.code).to.equal(0);
    expect(list.out).to.match(/^socket-cut +every connection is reset$/m);
    const wrong = await check(['--only', 'doomsday']);
    expect(wrong.code).to.equal(2);
    expect(wrong.errors).to.match(/^--only doomsday: there is no such day.*\n\nnpm run editor-check -- \[options\]/);
    const taken = createServer().listen(0, '127.0.0.1');
    const busy = await check(['--port', String(await listeningPort(taken))]);
    taken.close();
    expect(busy.code).to.equal(2);
    expect(busy.errors).to.match(/^port \d+ is in use: choose another with --port\n$/);
  });
});
