import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { docbuilderSizing } from '../../../../cmd/controller/desired/sizing.ts';
import { NO_LICENSE } from '../../../../src/common/crypto/license.ts';
import { SHARED } from './instances.ts';
import { enterprise, situationOf } from './situation.ts';

const sized = (...options: Parameters<typeof situationOf>) => docbuilderSizing(situationOf(...options));

describe("DocBuilder's size", () => {
  it('is one worker in Community', () => {
    expect(sized()).to.deep.equal({
      ...{ replicas: 1, workersPerPod: 1, workers: 1 },
      resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '2', memory: '2880Mi' } },
      sharedMemory: '2Gi',
      gracePeriodSeconds: 630,
      formula:
        '1 worker in Community: CPU 500m (500m each) to 2 (1 each, plus 1), memory 1Gi (512Mi each, plus 512Mi) to 2880Mi ' +
        '(2048Mi + 64Mi each, plus 768Mi), shared memory up to 2Gi of that, grace period 630 s (jobs of up to 600 s, plus 30 s).',
    });
  });

  for (const [connections, workers] of [
    [1, 2],
    [100, 2],
    [101, 3],
    [1600, 32],
    [1601, 32],
    [50_000, 32],
  ] as const) {
    it(`is ${workers} workers for ${connections} connections`, () => {
      expect(sized({ license: enterprise(connections) }).workers).to.equal(workers);
    });
  }

  it('follows the spec where it has a number, whatever the licence', () => {
    for (const license of [NO_LICENSE, enterprise(5000)]) {
      expect(sized({ license, spec: { docbuilder: { workers: 5 } } }).workers).to.equal(5);
    }
  });

  it('counts a licence in grace, and neither an expired one nor one without api_full', () => {
    const limited = enterprise(500);
    if (limited.claims) limited.claims.features = ['callback'];
    expect(sized({ license: enterprise(500, 'grace') }).workers).to.equal(10);
    expect(sized({ license: enterprise(500, 'expired') }).workers).to.equal(1);
    expect(sized({ license: limited }).workers).to.equal(1);
  });

  it('gives a stop the time of the longest job, which the edition does not change', () => {
    expect(sized({ license: enterprise(500) }).gracePeriodSeconds).to.equal(sized().gracePeriodSeconds);
    expect(sized({ spec: { docbuilder: { jobTimeoutSeconds: 90 } } }).gracePeriodSeconds).to.equal(120);
  });

  it('leaves resources of the spec as they are but for numbers, which it writes as the API does, and says so', () => {
    const resources = { requests: { cpu: 2 }, limits: { cpu: 4, memory: '6Gi' } };
    const { formula, ...sizing } = sized({ spec: { docbuilder: { pod: { resources } } } });
    expect(sizing.resources).to.deep.equal({ requests: { cpu: '2' }, limits: { cpu: '4', memory: '6Gi' } });
    expect(formula).to.include('CPU and memory as in spec.docbuilder.pod.resources');
  });

  it('has as many workers as its pod has memory for, and room for at least one', () => {
    const running = (memory: number) => ({ ...situationOf({ license: enterprise(200) }), docbuilder: { memory } });
    const { workers, resources } = docbuilderSizing(running(4992));
    expect(workers).to.equal(2);
    expect(resources.limits?.['memory']).to.equal('9Gi');
    expect(docbuilderSizing(running(9215)).workers).to.equal(3);
    expect(docbuilderSizing(running(9216)).workers).to.equal(4);
    expect(docbuilderSizing(running(99_999)).workers).to.equal(4);
    expect(docbuilderSizing(running(500)).workers).to.equal(1);
  });

  it('has all its workers in a pod whose resources the spec gives', () => {
    const spec = { docbuilder: { workers: 5, pod: { resources: { limits: { memory: '6Gi' } } } } };
    expect(docbuilderSizing({ ...situationOf({ spec }), docbuilder: { memory: 6144 } }).workers).to.equal(5);
  });

  for (const [connections, replicas, each] of [
    [1, 1, 2],
    [200, 1, 4],
    [201, 2, 3],
    [500, 3, 4],
    [1600, 8, 4],
  ] as const) {
    it(`is ${replicas} pods of ${each} workers for ${connections} connections, where pods have no volume`, () => {
      const { workersPerPod, workers, ...found } = sized({
        license: enterprise(connections),
        spec: { storage: SHARED },
      });
      expect([found.replicas, workersPerPod, workers]).to.deep.equal([replicas, each, replicas * each]);
      expect(found.formula).to.include(`, ${replicas} ${replicas === 1 ? 'pod' : 'pods'} of ${each}: CPU `);
      const one = sized({ spec: { docbuilder: { workers: each } } });
      expect(found.resources).to.deep.equal(one.resources);
    });
  }

  it('has as many pods as the spec says, and none without a worker', () => {
    const of = (replicas: number, license: Parameters<typeof situationOf>[0] = {}) => {
      const { workersPerPod, ...found } = sized({ ...license, spec: { storage: SHARED, docbuilder: { replicas } } });
      return [found.replicas, workersPerPod];
    };
    expect(of(5, { license: enterprise(500) })).to.deep.equal([5, 2]);
    expect(of(32, { license: enterprise(500) })).to.deep.equal([10, 1]);
    expect(of(1, { license: enterprise(1600) })).to.deep.equal([1, 32]);
    expect(of(3)).to.deep.equal([1, 1]);
  });

  it('has never fewer workers than are wanted, and as few as pods that are all alike can have', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), fc.option(fc.integer({ min: 1, max: 32 })), (workers, pods) => {
        const docbuilder = { workers, ...(pods !== null && { replicas: pods }) };
        const { replicas, workersPerPod, ...found } = sized({ spec: { storage: SHARED, docbuilder } });
        expect(found.workers)
          .to.equal(replicas * workersPerPod)
          .and.to.be.within(workers, workers + replicas - 1);
        if (pods === null) expect(workersPerPod).to.be.at.most(4);
        else expect(replicas).to.equal(Math.min(pods, workers));
      }),
    );
  });

  it('leaves the number of pods to an autoscaler, within the bounds of the plan', () => {
    const spec = { storage: SHARED, docbuilder: { autoscaling: { minReplicas: 2 } } };
    const at = (replicas: number | undefined, conns = 1000) =>
      docbuilderSizing({ ...situationOf({ license: enterprise(conns), spec }), docbuilder: { replicas } });
    expect([undefined, 1, 3, 9].map((now) => at(now).replicas)).to.deep.equal([2, 2, 3, 5]);
    expect(at(3)).to.deep.include({ scaling: { min: 2, max: 5 }, workersPerPod: 4, workers: 12 });
    expect(at(3).formula).to.include(', 2 to 5 pods of 4 by their CPU: ');
    expect(at(3, 100)).to.deep.include({ replicas: 1, scaling: { min: 1, max: 1 } });
  });

  it('is as the table in docs/kubernetes-operations.md says', () => {
    const text = readFileSync(new URL('../../../../docs/kubernetes-operations.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| (Community|[^|]*\d[\d,]*[^|]*) \| (\d+) \| (.+) \| (.+) \|$/gm)];
    expect(rows).to.have.length.above(3);
    for (const [, edition = '', workers, cpu, memory] of rows) {
      const license = edition === 'Community' ? NO_LICENSE : enterprise(Number(edition.replace(/\D/g, '')));
      const { resources, ...sizing } = sized({ license });
      const range = (name: string) => `${resources.requests?.[name]} / ${resources.limits?.[name]}`;
      expect([String(sizing.workers), range('cpu'), range('memory')], edition).to.deep.equal([workers, cpu, memory]);
    }
  });

  it('has room for all workers at their own limit, at any size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), fc.integer({ min: 512, max: 65_536 }), (workers, workerMemoryMb) => {
        const { resources } = sized({ spec: { docbuilder: { workers, workerMemoryMb } } });
        const [request, limit] = [resources.requests?.['memory'], resources.limits?.['memory']].map(mebibytes);
        expect(limit).to.be.at.least(workers * (workerMemoryMb + 64) + 512);
        expect(request).to.be.at.most(limit ?? 0);
      }),
    );
  });
});

function mebibytes(quantity: string | number | undefined): number {
  const [, value, unit] = /^(\d+)(Mi|Gi)$/.exec(String(quantity)) ?? [];
  return Number(value) * (unit === 'Gi' ? 1024 : 1);
}
