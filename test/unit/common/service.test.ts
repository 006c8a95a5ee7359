import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect } from 'chai';

const SERVICE = resolve(import.meta.dirname, '../../../src/common/service.ts');

/** A service whose start takes for ever, or a moment; says `begun` when it begins, and what happens to it. */
function service(start: string) {
  const program = `
    import { runService } from ${JSON.stringify(SERVICE)};
    const say = (word) => process.stdout.write(word + '\\n');
    setInterval(() => {}, 1000);
    await runService({ name: 'x', load: () => ({ logLevel: 'error' }), start: async () => { say('begun'); ${start} } });
    say('started');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const says = async (word: string) => {
    while (!said.includes(word)) await once(child.stdout, 'data');
  };
  return { child, says, ended: once(child, 'exit') };
}

describe('a service as a process', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends of ${signal} while it starts, by itself: process 1 of a container hears of nothing else`, async () => {
      const { child, says, ended } = service('return new Promise(() => {});');
      await says('begun');
      child.kill(signal);
      expect(await ended).to.deep.equal([0, null]);
    });
  }

  it('stops in good order once it has started', async () => {
    const { child, says, ended } = service("return { word: 'stopped', stop: async function () { say(this.word) } };");
    await says('started');
    child.kill();
    await says('stopped');
    expect(await ended).to.deep.equal([0, null]);
  });
});
