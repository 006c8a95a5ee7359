import { expect } from 'chai';
import fc from 'fast-check';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import {
  mustBeReplaced,
  quantityValue,
  sameQuantity,
  toAttainable,
} from '../../../../cmd/controller/reconcile/live-object.ts';

type Object = KubernetesObject & { spec: object };

const object = (kind: string, spec: object, more: object = {}) =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'office-gate' }, spec, ...more }) as Object;
const claim = (storage: string, storageClassName?: string, phase?: string) =>
  object(
    'PersistentVolumeClaim',
    {
      accessModes: ['ReadWriteOnce'],
      ...(storageClassName !== undefined && { storageClassName }),
      resources: { requests: { storage } },
    },
    phase ? { status: { phase } } : {},
  );
const selector = (app: string) => object('Deployment', { selector: { matchLabels: { app } } });
const service = (clusterIP?: string) => object('Service', { ...(clusterIP && { clusterIP }) });
const ingress = (ingressClassName?: string, applied: object = {}) => {
  const managedFields = [{ manager: 'svc-controller', operation: 'Apply', fieldsV1: { 'f:spec': applied } }];
  const spec = { ...(ingressClassName !== undefined && { ingressClassName }) };
  return object('Ingress', spec, { metadata: { name: 'office', managedFields } });
};
const OURS = ingress('nginx', { 'f:ingressClassName': {} });

describe('an object that the API server never changes into the wanted one', () => {
  for (const [what, wanted, live, kept, ...notes] of [
    ['grows', claim('30Gi'), claim('20Gi'), claim('30Gi')],
    ['grows once it has a volume', claim('30Gi'), claim('20Gi', undefined, 'Bound'), claim('30Gi')],
    [
      'does not grow before it has a volume, and says so',
      ...[claim('30Gi'), claim('20Gi', undefined, 'Pending'), claim('20Gi')],
      'Claim office-gate has no volume yet: it grows from 20Gi to 30Gi once it has one.',
    ],
    ['stays without a volume', claim('20Gi'), claim('20Gi', undefined, 'Pending'), claim('20Gi')],
    [
      'does not shrink, and says so',
      ...[claim('10Gi'), claim('20Gi'), claim('20Gi')],
      'Claim office-gate stays at 20Gi: a volume cannot shrink to 10Gi.',
    ],
    [
      'keeps its class, and says so',
      ...[claim('20Gi', 'fast'), claim('20Gi', 'slow'), claim('20Gi', 'slow')],
      'Claim office-gate keeps its class slow: it cannot become fast.',
    ],
    [
      'keeps its class without a volume, and says how it gets another one',
      ...[claim('20Gi', 'fast'), claim('20Gi', 'slow', 'Pending'), claim('20Gi', 'slow')],
      'Claim office-gate keeps its class slow: delete it, and it is made anew, of fast.',
    ],
    [
      'stays without a class once it has a volume, and says so',
      ...[claim('20Gi', 'fast'), claim('20Gi', undefined, 'Bound'), claim('20Gi')],
      'Claim office-gate keeps no class: it cannot become fast.',
    ],
    [
      'takes a class while it has none',
      claim('20Gi', 'fast'),
      claim('20Gi', undefined, 'Pending'),
      claim('20Gi', 'fast'),
    ],
    ['keeps the class that the cluster gave it', claim('20Gi'), claim('20Gi', 'slow'), claim('20Gi', 'slow')],
  ] as [string, Object, Object, Object, ...string[]][]) {
    it(`is not made anew when it is a claim: it ${what}`, () => {
      const found = toAttainable(wanted, live);
      expect(found).to.deep.include({ notes });
      expect(found.object).to.deep.include({ spec: kept.spec });
    });
  }

  for (const [what, wanted, live, isReplaced] of [
    ['a Deployment of the same selector', selector('a'), selector('a'), false],
    ['a Deployment of another selector', selector('a'), selector('b'), true],
    ['a Service with an address', service(), service('10.0.0.1'), false],
    ['a Service without one', service('None'), service('None'), false],
    ['a Service that is to have none', service('None'), service('10.0.0.1'), true],
    ['a Service that is to have one', service(), service('None'), true],
    ['an Ingress of our class that is to have the default one', ingress(), OURS, true],
    ['an Ingress of the same class', ingress('nginx'), OURS, false],
    ['an Ingress of another class', ingress('other'), OURS, false],
    ['an Ingress that was given the default class at its birth', ingress(), ingress('given'), false],
    ['an Ingress with a class of ours in place of the given one', ingress('nginx'), ingress('given'), false],
    ['an Ingress that never had a class', ingress(), ingress(), false],
  ] as const) {
    it(`${isReplaced ? 'is made anew' : 'stays'}: ${what}`, () => {
      expect(mustBeReplaced(wanted, live)).to.equal(isReplaced);
    });
  }
});

describe('quantities', () => {
  it('are the numbers that they stand for', () => {
    for (const [text, value] of [
      ['1', 1],
      ['500m', 0.5],
      ['.5', 0.5],
      ['2Gi', 2 ** 31],
      ['1e3', 1000],
      ['1.5k', 1500],
      ['-1', -1],
    ] as const) {
      expect(quantityValue(text), text).to.equal(value);
    }
  });

  it('are none when the API server would refuse them', () => {
    for (const text of ['', 'x', '1 Gi', '1gi', '1KiB', null, {}]) expect(quantityValue(text)).to.equal(undefined);
  });

  it('are the same in whatever unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (n) => {
        expect(sameQuantity(`${n}Gi`, `${n * 1024}Mi`)).to.equal(true);
        expect(sameQuantity(`${n}`, `${n * 1000}m`)).to.equal(true);
        expect(sameQuantity(`${n}m`, `${n + 1}m`)).to.equal(false);
      }),
    );
  });
});
