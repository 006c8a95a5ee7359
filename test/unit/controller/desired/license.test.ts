import type { V1DeploymentSpec } from '@kubernetes/client-node';
import { expect } from 'chai';
import fc from 'fast-check';
import { desired } from '../../../../cmd/controller/desired/index.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { licenseFiles, licenses, specs } from './arbitraries.ts';
import { SHARED } from './instances.ts';
import { changed, decoded, idOf, objectsOf, specOf } from './objects.ts';
import { enterprise, situationOf } from './situation.ts';

describe('another licence', () => {
  it('with the same worker count changes the Secret of the licence and nothing else', () => {
    const same = fc.integer({ min: 2, max: 31 }).chain((count) => {
      const conns = fc.integer({ min: 50 * (count - 1) + 1, max: 50 * count });
      const state = fc.constantFrom('valid' as const, 'grace' as const);
      return fc.tuple(conns, state, conns, state);
    });
    fc.assert(
      fc.property(
        specs,
        same,
        licenseFiles,
        licenseFiles,
        (spec, [conns, state, others, otherState], files, otherFiles) => {
          const before = objectsOf({ spec, license: enterprise(conns, state), licenseFiles: files });
          const after = objectsOf({ spec, license: enterprise(others, otherState), licenseFiles: otherFiles });
          expect(changed(before, after).filter((id) => id !== 'Secret/office-license')).to.deep.equal([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of any kind changes no object but that Secret and, in number and size, the workers of DocBuilder', () => {
    fc.assert(
      fc.property(specs, licenses, licenseFiles, licenses, licenseFiles, (spec, license, files, other, otherFiles) => {
        const before = objectsOf({ spec, license, licenseFiles: files });
        const after = objectsOf({ spec, license: other, licenseFiles: otherFiles });
        const allowed = [
          ...['Secret/office-license', 'ConfigMap/office-docbuilder', 'Deployment/office-docbuilder'],
          'HorizontalPodAutoscaler/office-docbuilder',
        ];
        expect(changed(before, after).filter((id) => !allowed.includes(id))).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });

  it('changes number and size of DocBuilder with another worker count', () => {
    const [small, large] = [100, 101].map((conns) => objectsOf({ license: enterprise(conns) }));
    expect(changed(small ?? [], large ?? [])).to.deep.equal([
      'ConfigMap/office-docbuilder',
      'Deployment/office-docbuilder',
    ]);
  });

  it('and the number alone where the Deployment keeps its size, or the spec gives one', () => {
    const template = { requests: { cpu: '1' }, limits: { memory: '3Gi' } };
    const [small, large] = [100, 500].map((conns) =>
      desired({ ...situationOf({ license: enterprise(conns) }), docbuilder: { template } }),
    );
    expect(changed(small ?? [], large ?? [])).to.deep.equal(['ConfigMap/office-docbuilder']);
    const spec = { docbuilder: { pod: { resources: template } } };
    const [before, after] = [100, 500].map((conns) => objectsOf({ spec, license: enterprise(conns) }));
    expect(changed(before ?? [], after ?? [])).to.deep.equal(['ConfigMap/office-docbuilder']);
  });

  it('adds pods to those that keep their size, and leaves what they are made from', () => {
    const [small, large] = [100, 500].map((conns) => {
      const template = { requests: { cpu: '1' }, limits: { memory: '3Gi' } };
      const situation = situationOf({ license: enterprise(conns), spec: { storage: SHARED } });
      return desired({ ...situation, docbuilder: { template } });
    });
    const spec = (objects: readonly KubernetesObject[] = []) =>
      specOf<V1DeploymentSpec>(
        objects.find((object) => idOf(object) === 'Deployment/office-docbuilder') as KubernetesObject,
      );
    expect([spec(small)?.replicas, spec(large)?.replicas]).to.deep.equal([1, 3]);
    expect(spec(large)?.template).to.deep.equal(spec(small)?.template);
  });

  it('is handed on exactly as it is', () => {
    const files = { token: 'a.b.c', removedAt: '2026-11-21T12:00:00.000Z' };
    expect(decoded(objectsOf({ licenseFiles: files }), 'office-license')).to.deep.equal({
      token: 'a.b.c',
      'removed-at': '2026-11-21T12:00:00.000Z',
    });
    expect(decoded(objectsOf(), 'office-license')).to.deep.equal({});
  });
});
