import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Audit, createAudit } from '../../../src/common/audit.ts';
import { AUDIT_TIMINGS, type AuditTimings, createAuditQueue } from '../../../src/common/audit-queue.ts';
import { withContext } from '../../../src/common/context.ts';
import type { Logger } from '../../../src/common/log.ts';
import { portOf } from '../../support/listen.ts';
import { silentLogger } from '../../support/logs.ts';
import { until } from '../../support/service.ts';

describe('the audit trail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  after(() => rmSync(folder, { recursive: true }));

  it('goes to a file, one JSON line an event, with the request it belongs to', async () => {
    const path = join(folder, 'audit.log');
    const audit = createAudit('docbuilder', `file:${path}`, silentLogger());
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
    const audit = createAudit('docbuilder', `http://127.0.0.1:${await portOf(collector)}/trail`, silentLogger());
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

  it('has handed everything over, in its order, when it is closed', async () => {
    const got: string[] = [];
    const collector = await listen(async (request, response) => {
      const events = JSON.parse(await text(request));
      await pause(5);
      got.push(...events.map(({ kind }: { kind: string }) => kind));
      response.writeHead(204).end();
    });
    const { audit, told } = begin(collector.url, { closeMs: 10_000 });
    const kinds = Array.from({ length: 20 }, (_, index) => String(index));
    for (const kind of kinds) audit.record('job.finished', { kind });
    await audit.close();
    expect(got).to.deep.equal(kinds);
    expect(told).to.deep.equal([]);
    await collector.close();
  });

  it('waits for an address that is away or refuses, and says so once', async () => {
    const got: string[] = [];
    const answers = [503, 401, 302];
    const collector = await listen(async (request, response) => {
      const body = await text(request);
      const status = answers.shift() ?? 200;
      if (status === 200) got.push(...JSON.parse(body).map(({ kind }: { kind: string }) => kind));
      response.writeHead(status).end();
    });
    await collector.close();
    const { audit, told } = begin(collector.url);
    for (const kind of ['first', 'second']) audit.record('job.finished', { kind });
    await until('nobody takes them', () => told.length > 0);
    await collector.open();
    await until('both are there', () => got.length === 2 || undefined);
    expect(got).to.deep.equal(['first', 'second']);
    await audit.close();
    expect(told).to.deep.equal([
      'the audit trail cannot be written: its events are queued',
      'the audit trail can be written again {"lost":0}',
    ]);
    await collector.close();
  });

  it('costs one connection and bound memory where an address does not answer, and is closed all the same', async () => {
    let connections = 0;
    const collector = await listen(() => undefined);
    collector.server.on('connection', () => {
      connections += 1;
    });
    const { audit, told } = begin(collector.url, { answerMs: 60_000 });
    for (let i = 0; i < 1000; i += 1) audit.record('session.created', { origin: 'x'.repeat(10_000) });
    await until('it was asked', () => connections > 0);
    await audit.close();
    expect(connections).to.equal(1);
    expect(told).to.deep.equal([
      'the audit trail cannot be written and its queue is full: events are being lost',
      'the audit trail is incomplete {"lost":1000}',
    ]);
    await collector.close();
  });

  it('goes on in a file when there is room again, and is closed while there is none', async () => {
    const path = join(folder, 'full', 'audit.log');
    mkdirSync(join(folder, 'full'));
    symlinkSync('/dev/full', path);
    const { audit, told } = begin(`file:${path}`);
    audit.record('job.finished', { kind: 'first' });
    await until('it does not fit', () => told.length > 0);
    rmSync(path);
    audit.record('job.finished', { kind: 'second' });
    await until('it fits', () => told.length === 2);
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).kind)).to.deep.equal(['first', 'second']);
    rmSync(path);
    symlinkSync('/dev/full', path);
    audit.record('job.finished', { kind: 'third' });
    await audit.close();
    expect(told.at(-1)).to.equal('the audit trail is incomplete {"lost":1}');
  });

  it('goes to an address in lists, not line by line', async () => {
    const lists: { kind: string }[][] = [];
    const collector = await listen(async (request, response) => {
      lists.push(JSON.parse(await text(request)));
      await pause(5);
      response.end();
    });
    const { audit, told } = begin(collector.url, { closeMs: 10_000 });
    const kinds = Array.from({ length: 3_000 }, (_, index) => String(index));
    for (const kind of kinds) audit.record('job.finished', { kind });
    await audit.close();
    expect(lists.flat().map(({ kind }) => kind)).to.deep.equal(kinds);
    expect(lists.length).to.be.below(8);
    expect(told).to.deep.equal([]);
    await collector.close();
  });

  it('keeps a list below what collectors take, unless one event is larger', async () => {
    const sizes: number[] = [];
    const collector = await listen(async (request, response) => {
      sizes.push((await text(request)).length);
      response.end();
    });
    const { audit } = begin(collector.url, { closeMs: 10_000 });
    for (let i = 0; i < 100; i += 1) audit.record('job.finished', { kind: 'x'.repeat(10_000) });
    audit.record('job.finished', { kind: 'x'.repeat(500_000) });
    await audit.close();
    expect(sizes.filter((size) => size > 260_000)).to.have.length(1);
    expect(sizes.length).to.be.within(5, 8);
    await collector.close();
  });

  describe('of somebody who is refused again and again', () => {
    const written = (path: string) =>
      readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);

    it('has the first of each kind, and how many more there were, and everything that others do', async () => {
      const path = join(folder, 'refused.log');
      const { audit, told } = begin(`file:${path}`, { closeMs: 10_000 });
      for (let i = 0; i < 5_000; i += 1) {
        withContext({ requestId: `req_${i}` }, () =>
          audit.record('auth.refused', { code: 'unauthorized', reason: 'missing', path: `/v1/jobs/${i}` }),
        );
        if (i % 100 === 0) audit.record('job.finished', { job: i });
        if (i % 200 === 0) audit.record('document.saved', { version: i });
      }
      for (const caller of ['portal', 'portal', 'batch']) {
        for (let i = 0; i < 20; i += 1) withContext({ requestId: 'req', caller }, () => audit.record('rate.refused'));
      }
      audit.record('auth.refused', { code: 'unauthorized', reason: 'invalid', path: '/v1/limits' });
      await audit.close();
      const lines = written(path);
      const count = (message: string, facts: object = {}) =>
        lines.filter((line) => Object.entries({ message, ...facts }).every(([name, value]) => line[name] === value));
      expect([count('job.finished').length, count('document.saved').length]).to.deep.equal([50, 25]);
      const missing = count('auth.refused', { reason: 'missing' });
      expect(missing).to.have.length(11);
      expect(missing[0]).to.include({ path: '/v1/jobs/0', requestId: 'req_0' });
      expect(missing[10]).to.include({ audit: true, service: 'gate', code: 'unauthorized', more: 4_990 });
      expect(missing[10]).to.not.have.any.keys('path', 'requestId');
      expect(new Date(String(missing[10]?.['since'])).toISOString()).to.equal(missing[10]?.['since']);
      expect(count('auth.refused', { reason: 'invalid' })).to.have.length(1);
      expect(
        count('rate.refused', { caller: 'portal' })
          .map(({ more }) => more)
          .at(-1),
      ).to.equal(30);
      expect(
        count('rate.refused', { caller: 'batch' })
          .map(({ more }) => more)
          .at(-1),
      ).to.equal(10);
      expect(told).to.deep.equal([]);
    });

    it('tells the number at the end of each window, and begins anew', async () => {
      const path = join(folder, 'windows.log');
      const { audit } = begin(`file:${path}`, { windowMs: 50 });
      const refuse = (times: number) => {
        for (let i = 0; i < times; i += 1)
          audit.record('session.refused', { code: 'invalid_config', path: '/session' });
      };
      refuse(12);
      await until('the number is told', () => existsSync(path) && written(path).some(({ more }) => more === 2));
      refuse(11);
      await audit.close();
      expect(written(path).map(({ more }) => more)).to.deep.equal([
        ...Array(10).fill(undefined),
        2,
        ...Array(10).fill(undefined),
        1,
      ]);
    });

    it('counts callers together where there are too many to tell apart', async () => {
      const path = join(folder, 'callers.log');
      const { audit } = begin(`file:${path}`, { closeMs: 10_000 });
      for (let i = 0; i < 3_000; i += 1) {
        withContext({ requestId: 'req', caller: `user-${i}` }, () => audit.record('rate.refused'));
      }
      await audit.close();
      const more = written(path).filter((line) => 'more' in line);
      expect(more.map((line) => [line['caller'], line['more']])).to.deep.equal([[undefined, 1_990]]);
    });
  });

  it('keeps room for what was done where refusals find none', async () => {
    const never = { deliver: () => Promise.reject(new Error('away')) };
    const told: string[] = [];
    const note = (...[facts, message]: unknown[]): void => void told.push(message ? `${message}` : String(facts));
    const log = { info: note, error: note } as unknown as Logger;
    const queue = createAuditQueue(never, { ...AUDIT_TIMINGS, againMs: 10, closeMs: 20 }, log);
    const line = 'x'.repeat(1024);
    for (let i = 0; i < 3_000; i += 1) queue.add(line, 'refusal');
    const full = 'the audit trail cannot be written and its queue is full: events are being lost';
    expect(told).to.deep.equal([full]);
    const taken: string[] = [];
    const back = createAuditQueue({ deliver: async (lines) => void taken.push(...lines) }, AUDIT_TIMINGS, log);
    for (let i = 0; i < 3_000; i += 1) back.add(`refusal ${line}`, 'refusal');
    for (let i = 0; i < 3_000; i += 1) back.add(`act ${i} ${line}`, 'act');
    await back.close();
    expect(taken.filter((each) => each.startsWith('act')).length).to.equal(3_000);
    await queue.close();
  });

  it('can be off', async () => {
    const audit = createAudit('docbuilder', 'off', silentLogger());
    audit.record('job.finished');
    await audit.close();
  });
});

/** An audit trail, and what the service's log says of it. */
function begin(target: string, timings: Partial<AuditTimings> = {}): { audit: Audit; told: string[] } {
  const told: string[] = [];
  const note = (...[facts, message]: unknown[]): void => {
    if (typeof facts === 'string') told.push(facts);
    else told.push('err' in (facts as object) ? String(message) : `${message} ${JSON.stringify(facts)}`);
  };
  const log = { info: note, error: note } as unknown as Logger;
  const quick = { ...AUDIT_TIMINGS, againMs: 10, closeMs: 500, ...timings };
  return { audit: createAudit('gate', target, log, quick), told };
}

/** A collector of events that can go and come back. */
async function listen(
  handle: RequestListener,
): Promise<{ url: string; server: Server; open(): Promise<void>; close(): Promise<void> }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  const port = await portOf(server);
  return {
    url: `http://127.0.0.1:${port}/trail?of=gate`,
    server,
    async open() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
