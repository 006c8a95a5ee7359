import { expect } from 'chai';
import { ApiError, UnreachableError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { Finding } from '../../../../cmd/controller/reconcile/conditions.ts';
import { pauseFinding } from '../../../../cmd/controller/reconcile/readiness.ts';
import { buildStatus, failingStatus, requestedAt, sameStatus } from '../../../../cmd/controller/reconcile/status.ts';
import type { SvcInstanceStatus } from '../../../../src/common/generated/wire.ts';
import { enterprise, makeSituation, type Options } from '../desired/situation.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const READY: Finding = { type: 'Ready', status: 'True', reason: 'AllAvailable', message: 'm' };
const NOTHING = { gate: {}, docbuilder: {}, editor: {}, front: {} };

function statusFor(options: Options, more: Partial<Parameters<typeof buildStatus>[0]> = {}): SvcInstanceStatus {
  const what = { situation: makeSituation(options), previous: {}, findings: [READY], components: NOTHING } as const;
  return buildStatus({ ...what, extent: 'everything', licensed: true, isApplied: () => true, now: NOW, ...more });
}

describe('the status of an instance', () => {
  it('has resources as texts, which its schema wants, also where people wrote numbers', () => {
    const resources = { requests: { cpu: 1 }, limits: { cpu: 2, memory: 2_147_483_648 } };
    const status = statusFor({ spec: { docbuilder: { pod: { resources } } } });
    expect(status.docbuilder).to.include({ cpu: '2', memory: '2147483648' });
  });

  it('is the same whatever conditions others add to it', () => {
    const status = statusFor({});
    const theirs = { ...READY, type: 'example.com/Audited', lastTransitionTime: '2026-11-21T12:00:00Z' };
    const conditions = [theirs, ...(status.conditions ?? [])];
    expect(sameStatus({ ...status, conditions }, status)).to.equal(true);
    expect(sameStatus({ ...status, conditions: [theirs] }, status)).to.equal(false);
  });

  it('has no half characters, which the API server would give back as something else', () => {
    const annotations = { 'svc.internal/reconcile-at': `${'a'.repeat(1023)}\u{1f600}` };
    expect(requestedAt({ annotations })).to.equal(`${'a'.repeat(1023)}\ufffd`);
  });

  it('keeps the figures in force while a pause keeps others from it', () => {
    const previous = statusFor({});
    const changed = { spec: { host: 'other.example', docbuilder: { workers: 7 } } };
    const paused = { extent: 'nothing', licensed: false, isApplied: () => false } as const;
    expect(statusFor(changed, { ...paused, previous })).to.deep.include({
      baseUrl: 'https://office.example',
      docbuilder: previous.docbuilder,
    });
    expect(statusFor(changed, paused)).not.to.have.any.keys('baseUrl', 'plan', 'docbuilder');
  });

  it('has the new licence and the spec of before where only the licence was applied', () => {
    const previous = statusFor({ license: enterprise(100), spec: { gate: { connectionCap: 70 } } });
    const changed = { docbuilder: { workers: 7, maxFileMb: 5 }, gate: { connectionCap: 60 } };
    const licensed = (conns: number) =>
      statusFor(
        { license: enterprise(conns), spec: changed },
        { previous, extent: 'nothing', isApplied: ({ metadata }) => metadata.name.startsWith('office-license') },
      );
    expect(licensed(100)).to.deep.equal(previous);
    const { license, plan, docbuilder } = licensed(500);
    expect(license).to.include({ connections: 500 });
    expect(plan).to.include({ parallelJobs: 2 });
    expect(docbuilder).to.deep.equal(previous.docbuilder);
    expect(statusFor({ license: enterprise(500) }, { previous, licensed: false }).license).to.deep.equal(
      previous.license,
    );
  });
});

describe('an instance that cannot be dealt with', () => {
  const { instance } = makeSituation();
  const previous = statusFor({});
  const statusAfter = (error: unknown) =>
    failingStatus({ metadata: { ...instance.metadata, generation: 2 }, status: previous }, error, NOW);

  it('is not ready, and says why beside what was known before, but no words that may hold a secret', () => {
    for (const [error, reason, message] of [
      [new ApiError('PATCH /x', { status: 500, message: 'away' }), 'ApiServerFails', /PATCH \/x: 500 .*away/],
      [new UnreachableError('PATCH /x', 'ETIMEDOUT', 'no answer'), 'ApiServerFails', /PATCH \/x: no answer/],
      [new DOMException('', 'TimeoutError'), 'ApiServerFails', /in time/],
      [new TypeError('hunter2 is not iterable'), 'ControllerFails', /^(?!.*hunter2)/],
    ] as const) {
      const { conditions = [], ...status } = statusAfter(error);
      expect(conditions.map(({ type, status: value, reason: why }) => `${type}=${value} ${why}`)).to.deep.equal([
        `Ready=False ${reason}`,
        `Reconciling=True ${reason}`,
      ]);
      expect(conditions[0]?.message).to.match(message);
      expect(status).to.deep.include({ observedGeneration: 2, baseUrl: 'https://office.example' });
    }
  });
});

describe('a paused instance', () => {
  it('is one by the value true alone, and whoever writes another is told', () => {
    const said = (value: string) => {
      const { metadata } = makeSituation().instance;
      return pauseFinding({ metadata: { ...metadata, annotations: { 'svc.internal/paused': value } } });
    };
    expect(said('true')).to.include({ status: 'True', reason: 'Asked' });
    expect(said('false')).to.include({ status: 'False', reason: 'NotAsked' });
    for (const value of ['True', 'yes', '1', '', ' true']) {
      expect(said(value), value).to.include({ status: 'False', reason: 'NotUnderstood' });
      expect(said(value).message).to.include('pauses nothing unless it is exactly "true"');
    }
  });
});
