import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect } from 'chai';

const SERVICE = resolve(import.meta.dirname, '../../../src/common/service.ts');

/** A service whose start takes for ever, and which says so. */
const PROGRAM = `
  import { runService } from ${JSON.stringify(SERVICE)};
  setInterval(() => {}, 1000);
  const start = () => new Promise(() => process.stdout.write('begun'));
  await runService({ name: 'x', load: () => ({ logLevel: 'error' }), start });
`;

describe('a service as a process', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends of ${signal} while it starts, by itself: process 1 of a container hears of nothing else`, async () => {
      const args = ['--input-type=module', '-e', PROGRAM];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await once(child, 'exit')).to.deep.equal([0, null]);
    });
  }
});
