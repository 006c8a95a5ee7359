import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';

const [SERVICE, AUDIT] = ['service.ts', 'audit.ts'].map((file) =>
  resolve(import.meta.dirname, '../../../src/common', file),
);

/** A service whose start takes for ever, and which says so. */
const PROGRAM = `
  import { runService } from ${JSON.stringify(SERVICE)};
  setInterval(() => {}, 1000);
  const start = () => new Promise(() => process.stdout.write('begun'));
  await runService({ name: 'x', load: () => ({ logLevel: 'error' }), start });
`;

/** One that logs as it starts and stops, in its audit trail as well. */
const START = `const { createAudit } = await import(${JSON.stringify(AUDIT)});
const start = async (_config, log) => {
  const audit = createAudit('x', 'stdout', log);
  log.info('started');
  setImmediate(() => audit.record('service.started') ?? process.send('ready'));
  return {
    stop: async () => {
      log.info('stopped');
      audit.record('service.stopped');
      await audit.close();
    },
  };
};`;

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

  for (const where of ['on a full disk', 'read by nobody any more']) {
    it(`works and ends as ever with a log and an audit trail ${where}`, async () => {
      const program = PROGRAM.replace(/const start = .*/, START).replace("'error'", "'info'");
      const stdout = where === 'on a full disk' ? openSync('/dev/full', 'w') : 'pipe';
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', stdout, 'inherit', 'ipc'],
      });
      await Promise.race([once(child, 'message'), once(child, 'exit')]);
      child.stdout?.destroy();
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      expect(await once(child, 'exit')).to.deep.equal([0, null]);
      clearTimeout(timer);
    });
  }
});
