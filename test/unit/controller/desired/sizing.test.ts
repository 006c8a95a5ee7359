import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { docbuilderSizing } from '../../../../cmd/controller/desired/sizing.ts';
import { NO_LICENSE } from '../../../../src/common/crypto/license.ts';
import { SHARED } from './instances.ts';
import { enterprise, makeSituation, type Options } from './situation.ts';

const sized = (options: Options = {}) => docbuilderSizing(makeSituation(options));
const licensed = (conns: number): Options => ({ license: enterprise(conns) });
const shared = (conns: number, docbuilder: object = {}): Options => ({
  license: conns === 0 ? NO_LICENSE : enterprise(conns),
  spec: { storage: SHARED, docbuilder },
});
const limited = enterprise(500);
if (limited.claims) limited.claims.features = ['callback'];
const resources = { limits: { memory: '6Gi' } };

/** Pods, and workers in each. */
const SIZES: readonly [what: string, options: Options, pods: number, workers: number, formula?: string][] = [
  ['Community', {}, 1, 1, '1 worker in Community: CPU 500m (500m each) to 2 (1 each, plus 1), memory 1Gi '],
  ['100 connections', licensed(100), 1, 2],
  ['101 connections', licensed(101), 1, 3],
  ['1,600 connections', licensed(1600), 1, 32],
  ['1,601 connections', licensed(1601), 1, 32],
  ['a licence in grace', { license: enterprise(500, 'grace') }, 1, 10],
  ['a licence that has expired', { license: enterprise(500, 'expired') }, 1, 1],
  ['a licence without api_full', { license: limited }, 1, 1],
  ['a number of the spec, whatever the licence', { ...licensed(5000), spec: { docbuilder: { workers: 5 } } }, 1, 5],
  ['a pod without memory for the second worker', { ...licensed(200), docbuilder: { memory: 500 } }, 1, 1],
  ['a pod with memory for two', { ...licensed(200), docbuilder: { memory: 4992 } }, 1, 2],
  ['a pod with memory for nearly four', { ...licensed(200), docbuilder: { memory: 9215 } }, 1, 3],
  ['a pod with memory for four', { ...licensed(200), docbuilder: { memory: 9216 } }, 1, 4],
  ['a pod with memory for more than the plan has', { ...licensed(200), docbuilder: { memory: 99_999 } }, 1, 4],
  [
    'a pod whose resources the spec gives',
    { spec: { docbuilder: { workers: 5, pod: { resources } } }, docbuilder: { memory: 6144 } },
    1,
    5,
    'CPU and memory as in spec.docbuilder.pod.resources',
  ],
  ['1 connection, with a shared store', shared(1), 1, 2, ', 1 pod of 2: CPU '],
  ['201 connections, with a shared store', shared(201), 2, 3, ', 2 pods of 3: CPU '],
  ['1,600 connections, with a shared store', shared(1600), 8, 4],
  ['a number of pods of the spec', shared(500, { replicas: 5 }), 5, 2],
  ['more pods of the spec than workers', shared(500, { replicas: 32 }), 10, 1],
  ['one pod of the spec', shared(1600, { replicas: 1 }), 1, 32],
  ['pods of the spec in Community', shared(0, { replicas: 3 }), 1, 1],
  ...(
    [
      [undefined, 2],
      [1, 2],
      [3, 3],
      [9, 5],
    ] as const
  ).map(([replicas, pods]): (typeof SIZES)[number] => [
    `${replicas} pods of an autoscaler`,
    { ...shared(1000, { autoscaling: { minReplicas: 2 } }), docbuilder: { replicas } },
    ...([pods, 4, ', 2 to 5 pods of 4 by their CPU: '] as const),
  ]),
  ['an autoscaler above the plan', { ...shared(100, { autoscaling: { minReplicas: 2 } }) }, 1, 2],
];

describe("DocBuilder's size", () => {
  for (const [what, options, pods, workers, formula = ''] of SIZES) {
    it(`is ${pods} of ${workers} workers for ${what}`, () => {
      const found = sized(options);
      expect([found.replicas, found.workersPerPod, found.workers]).to.deep.equal([pods, workers, pods * workers]);
      expect(found.formula).to.include(formula);
    });
  }

  it('has never fewer workers than are wanted, and as few as pods that are all alike can have', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), fc.option(fc.integer({ min: 1, max: 32 })), (workers, pods) => {
        const docbuilder = { workers, ...(pods !== null && { replicas: pods }) };
        const { replicas, workersPerPod, ...found } = sized({ spec: { storage: SHARED, docbuilder } });
        expect(found.workers).to.be.within(workers, workers + replicas - 1);
        if (pods === null) expect(workersPerPod).to.be.at.most(4);
        else expect(replicas).to.equal(Math.min(pods, workers));
      }),
    );
  });

  it('is as the table in docs/kubernetes-operations.md says', () => {
    const text = readFileSync(new URL('../../../../docs/kubernetes-operations.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| (Community|[^|]*\d[\d,]*[^|]*) \| (\d+) \| (.+) \| (.+) \|$/gm)];
    expect(rows).to.have.length.above(3);
    for (const [, edition = '', workers, cpu, memory] of rows) {
      const license = edition === 'Community' ? NO_LICENSE : enterprise(Number(edition.replace(/\D/g, '')));
      const { resources: size, ...sizing } = sized({ license });
      const range = (name: string) => `${size.requests?.[name]} / ${size.limits?.[name]}`;
      expect([String(sizing.workers), range('cpu'), range('memory')], edition).to.deep.equal([workers, cpu, memory]);
    }
  });

  it('has room for all workers at their own limit, at any size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), fc.integer({ min: 512, max: 65_536 }), (workers, workerMemoryMb) => {
        const { requests, limits } = sized({ spec: { docbuilder: { workers, workerMemoryMb } } }).resources;
        const [request = 0, limit = 0] = [requests?.['memory'], limits?.['memory']].map(toMebibytes);
        expect(limit).to.be.at.least(workers * (workerMemoryMb + 64) + 512);
        expect(request).to.be.at.most(limit);
      }),
    );
  });
});

function toMebibytes(quantity: string | number | undefined): number {
  const [, value, unit] = /^(\d+)(Mi|Gi)$/.exec(String(quantity)) ?? [];
  return Number(value) * (unit === 'Gi' ? 1024 : 1);
}
