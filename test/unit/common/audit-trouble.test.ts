import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { createAudit } from '../../../src/common/audit.ts';
import { NODE_FLAGS } from '../../../src/common/node-flags.ts';
import { portOf } from '../../support/listen.ts';

const AUDIT = resolve(import.meta.dirname, '../../../src/common/audit.ts');

describe('an audit trail in trouble', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  after(() => rmSync(folder, { recursive: true }));

  function trailTo(target: string) {
    const told: string[] = [];
    const log = { error: (_facts: object, message: string) => void told.push(message) };
    return { audit: createAudit('gate', target, log as never), told };
  }

  for (const [what, target] of [
    ['that is a folder', `file:${folder}`],
    ['to nobody', 'http://127.0.0.1:1/'],
  ] as const) {
    it(`${what} is told of in the log, once for many events, and keeps no service from stopping`, async () => {
      const { audit, told } = trailTo(target);
      for (let i = 0; i < 5; i += 1) audit.record('job.finished');
      await audit.close();
      expect(told).to.deep.equal(['the audit trail cannot be written']);
    });
  }

  it('to somebody who takes it slowly has all events before the process ends', async () => {
    const taken: string[] = [];
    const collector = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      taken.push(JSON.parse(body).message);
      setImmediate(() => response.end());
    }).listen(0, '127.0.0.1');
    const code = `
      import { createAudit } from ${JSON.stringify(AUDIT)};
      const audit = createAudit('gate', 'http://127.0.0.1:${await portOf(collector)}/');
      for (let i = 0; i < 9; i += 1) audit.record('job.finished');
      audit.record('service.stopped');
      await audit.close();
      process.exit(0);`;
    const child = spawn(process.execPath, [...NODE_FLAGS, '--input-type=module', '-e', code], { stdio: 'inherit' });
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
    expect(taken).to.have.lengthOf(10).and.include('service.stopped');
    collector.closeAllConnections();
    collector.close();
  });
});
