import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createAudit } from '../../../src/common/audit.ts';
import { withContext } from '../../../src/common/context.ts';
import { portOf } from '../../support/listen.ts';
import { until } from '../../support/service.ts';

describe('the audit trail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  after(() => rmSync(folder, { recursive: true }));

  it('goes to a file, one JSON line an event, with the request it belongs to', async () => {
    const path = join(folder, 'audit.log');
    const audit = createAudit('docbuilder', `file:${path}`);
    withContext({ requestId: 'req_0123456789abcdef', caller: 'portal' }, () =>
      audit.record('job.accepted', { kind: 'convert' }),
    );
    audit.record('service.stopped');
    await audit.close();
    const lines = await until('both lines are written', () => {
      const text = readFileSync(path, 'utf8').trim().split('\n');
      return text.length === 2 ? text.map((line) => JSON.parse(line)) : undefined;
    });
    expect(lines[0]).to.include({
      audit: true,
      service: 'docbuilder',
      message: 'job.accepted',
      kind: 'convert',
      requestId: 'req_0123456789abcdef',
      caller: 'portal',
    });
    expect(lines[0].timestamp).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(lines[1]).to.include({ message: 'service.stopped' });
  });

  it('goes to an http address', async () => {
    const bodies: string[] = [];
    const collector = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(`${request.method} ${request.url} ${body}`);
      response.end();
    }).listen(0, '127.0.0.1');
    const audit = createAudit('docbuilder', `http://127.0.0.1:${await portOf(collector)}/trail`);
    audit.record('auth.refused', { reason: 'missing' });
    const [received] = await until('the event arrives', () => (bodies.length > 0 ? bodies : undefined));
    expect(received)
      .to.match(/^POST \/trail /)
      .and.contain('auth.refused')
      .and.contain('missing');
    await audit.close();
    collector.closeAllConnections();
    collector.close();
  });

  it('does not take the service down when nobody takes it', async () => {
    const audit = createAudit('docbuilder', 'http://127.0.0.1:1/');
    for (let i = 0; i < 5; i += 1) audit.record('job.finished');
    await audit.close();
    const unwritable = createAudit('docbuilder', `file:${folder}/none/such/audit.log`);
    unwritable.record('job.finished');
  });

  it('can be off', async () => {
    const audit = createAudit('docbuilder', 'off');
    audit.record('job.finished');
    await audit.close();
  });
});
