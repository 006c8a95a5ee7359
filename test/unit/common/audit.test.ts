import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Audit, createAudit } from '../../../src/common/audit.ts';
import { AUDIT_TIMINGS, AuditStream, type AuditTimings } from '../../../src/common/audit-stream.ts';
import { withContext } from '../../../src/common/context.ts';
import type { Logger } from '../../../src/common/log.ts';
import { type Canary, useServers } from '../../support/canary.ts';
import { useFolder } from '../../support/folder.ts';
import { silentLogger } from '../../support/logs.ts';
import { until } from '../../support/service.ts';

const FULL = 'the audit trail cannot be written and its queue is full: events are being lost';
const QUEUED = 'the audit trail cannot be written: its events are queued';
type Event = Record<string, unknown>;

describe('the audit trail', () => {
  const folder = useFolder('test');
  const serve = useServers();
  const toUrl = ({ port }: Canary) => `http://127.0.0.1:${port}/trail?of=gate`;
  const eventsIn = (path: string): Event[] =>
    // What follows the last end of a line is none, or is being written.
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  it('goes to a file, one JSON line an event, with the request it belongs to; or nowhere', async () => {
    const path = folder.at('audit.log');
    const { audit } = begin(`file:${path}`);
    const context = { requestId: 'req_0123456789abcdef', caller: 'portal' };
    withContext(context, () => audit.record('job.accepted', { kind: 'convert' }));
    audit.record('service.stopped');
    await audit.close();
    const [accepted, stopped] = eventsIn(path);
    expect(accepted).to.include({ audit: true, service: 'gate', message: 'job.accepted', kind: 'convert', ...context });
    expect(accepted?.['timestamp']).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(stopped).to.include({ message: 'service.stopped' });
    const off = createAudit('docbuilder', 'off', silentLogger());
    off.record('job.finished');
    await off.close();
  });

  it('goes to an address in lists of less than collectors accept, in its order, and is complete when it is closed', async () => {
    const lists: string[] = [];
    const collector = await serve(async (request, response) => {
      lists.push(`${request.method} ${request.url} ${await text(request)}`);
      await pause(5);
      response.writeHead(204).end();
    });
    const { audit, logged } = begin(toUrl(collector), { closeMs: 10_000 });
    const kinds = Array.from({ length: 3_000 }, (_, index) => String(index));
    for (const kind of kinds) audit.record('job.finished', { kind });
    for (let i = 0; i < 50; i += 1) audit.record('job.finished', { kind: 'x'.repeat(10_000) });
    audit.record('job.finished', { kind: 'x'.repeat(500_000) });
    await audit.close();
    const posted = lists.flatMap((list) => JSON.parse(list.replace('POST /trail?of=gate ', '')) as Event[]);
    expect(posted.map(({ kind }) => kind).slice(0, 3_000)).to.deep.equal(kinds);
    expect(posted.length).to.equal(3_051);
    expect(lists.length).to.be.below(12);
    expect(lists.filter((list) => list.length > 270_000)).to.have.length(1);
    expect(logged).to.deep.equal([]);
  });

  it('waits for an address that is away or refuses, and says so once', async () => {
    const accepted: unknown[] = [];
    const statuses = [503, 401, 302];
    const collect: RequestListener = async (request, response) => {
      const events: Event[] = JSON.parse(await text(request));
      const status = statuses.shift() ?? 200;
      if (status === 200) accepted.push(...events.map(({ kind }) => kind));
      response.writeHead(status).end();
    };
    const collector = await serve();
    await collector.close();
    const { audit, logged } = begin(toUrl(collector));
    for (const kind of ['first', 'second']) audit.record('job.finished', { kind });
    await until('delivery fails', () => logged.length > 0);
    await serve(collect, { port: collector.port });
    await until('both are there', () => accepted.length === 2 || undefined);
    await audit.close();
    expect(accepted).to.deep.equal(['first', 'second']);
    expect(logged).to.deep.equal([QUEUED, 'the audit trail can be written again {"lost":0}']);
  });

  it('costs one connection and bound memory where an address does not answer, and is closed all the same', async () => {
    const collector = await serve(() => undefined);
    const { audit, logged } = begin(toUrl(collector), { answerMs: 60_000 });
    for (let i = 0; i < 1000; i += 1) audit.record('session.created', { origin: 'x'.repeat(10_000) });
    await until('it was asked', () => collector.connections > 0);
    await audit.close();
    expect(collector.connections).to.equal(1);
    expect(logged).to.deep.equal([FULL, 'the audit trail is incomplete {"lost":1000}']);
  });

  it('goes on in a file when there is room again, and is closed while there is none', async () => {
    const path = folder.at('audit.log');
    symlinkSync('/dev/full', path);
    const { audit, logged } = begin(`file:${path}`);
    audit.record('job.finished', { kind: 'first' });
    await until('it does not fit', () => logged.length > 0);
    rmSync(path);
    audit.record('job.finished', { kind: 'second' });
    await until('it fits', () => logged.length === 2);
    expect(eventsIn(path).map(({ kind }) => kind)).to.deep.equal(['first', 'second']);
    rmSync(path);
    symlinkSync('/dev/full', path);
    audit.record('job.finished', { kind: 'third' });
    await audit.close();
    expect(logged.at(-1)).to.equal('the audit trail is incomplete {"lost":1}');
  });

  it('has the first refusals of each kind, and how many more there were, and everything that others do', async () => {
    const path = folder.at('audit.log');
    const { audit, logged } = begin(`file:${path}`, { closeMs: 10_000 });
    for (let i = 0; i < 5_000; i += 1) {
      const facts = { code: 'unauthorized', reason: 'missing', path: `/v1/jobs/${i}` };
      withContext({ requestId: `req_${i}` }, () => audit.record('auth.refused', facts));
      if (i % 100 === 0) audit.record('document.saved', { version: i });
    }
    // Callers are counted together where there are too many to tell apart.
    const callers = { portal: 40, ...Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`user-${i}`, 1])) };
    for (const [caller, times] of Object.entries(callers)) {
      for (let i = 0; i < times; i += 1) withContext({ caller }, () => audit.record('rate.refused'));
    }
    audit.record('auth.refused', { code: 'unauthorized', reason: 'invalid', path: '/v1/limits' });
    await audit.close();
    const found = (facts: Event) =>
      eventsIn(path).filter((event) => Object.entries(facts).every(([name, value]) => event[name] === value));
    expect(found({ message: 'document.saved' })).to.have.length(50);
    const missing = found({ message: 'auth.refused', reason: 'missing' });
    expect(missing).to.have.length(11);
    expect(missing[0]).to.include({ path: '/v1/jobs/0', requestId: 'req_0' });
    expect(missing[10]).to.include({ audit: true, service: 'gate', code: 'unauthorized', more: 4_990 });
    expect(missing[10]).to.not.have.any.keys('path', 'requestId');
    expect(new Date(String(missing[10]?.['since'])).toISOString()).to.equal(missing[10]?.['since']);
    expect(found({ message: 'auth.refused', reason: 'invalid' })).to.have.length(1);
    const more = found({ message: 'rate.refused' }).filter((event) => 'more' in event);
    expect(more.map((event) => [event['caller'], event['more']])).to.deep.equal([
      ['portal', 30],
      [undefined, 1_992],
    ]);
    expect(logged).to.deep.equal([]);
  });

  it('writes the number of refusals at the end of each window, and begins anew', async () => {
    const path = folder.at('audit.log');
    const { audit } = begin(`file:${path}`, { windowMs: 50 });
    for (let i = 0; i < 12; i += 1) audit.record('session.refused', { code: 'invalid_config' });
    await until('the number is written', () => existsSync(path) && eventsIn(path).some(({ more }) => more === 2));
    for (let i = 0; i < 11; i += 1) audit.record('session.refused', { code: 'invalid_config' });
    await audit.close();
    const ten = Array(10).fill(undefined);
    expect(eventsIn(path).map(({ more }) => more)).to.deep.equal([...ten, 2, ...ten, 1]);
  });

  it('keeps room for jobs and saves where refusals find none', async () => {
    const { log, logged } = keepLog();
    const stream = new AuditStream(() => Promise.reject(new Error('away')), { ...AUDIT_TIMINGS, closeMs: 20 }, log);
    const offer = (kind: 'act' | 'refusal') => stream.admit(kind) && stream.write('x'.repeat(1024));
    for (let i = 0; i < 3_000; i += 1) offer('refusal');
    expect(logged).to.deep.equal([FULL]);
    for (let i = 0; i < 3_000; i += 1) offer('act');
    expect(stream.writableLength).to.equal((2 * 1024 + 3_000) * 1024);
    await stream.close();
  });
});

/** A log, and what is written to it. */
function keepLog() {
  const logged: string[] = [];
  const note = (...[facts, message]: unknown[]): void => {
    if (typeof facts === 'string') logged.push(facts);
    else logged.push('err' in (facts as object) ? String(message) : `${message} ${JSON.stringify(facts)}`);
  };
  return { log: { info: note, error: note } as unknown as Logger, logged };
}

function begin(target: string, timings: Partial<AuditTimings> = {}): { audit: Audit; logged: string[] } {
  const { log, logged } = keepLog();
  const quick = { ...AUDIT_TIMINGS, retryMs: 10, closeMs: 500, ...timings };
  return { audit: createAudit('gate', target, log, quick), logged };
}
