import { expect } from 'chai';
import { KnownVersions } from '../../../../cmd/controller/k8s/known-versions.ts';
import { RESOURCES } from '../../../../cmd/controller/k8s/resources.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';

describe('k8s: what is known of a kind', () => {
  const object = (name: string, uid: string, resourceVersion: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'one', name, uid, resourceVersion },
  });

  it('makes one change of each version, however often it is seen', () => {
    const known = new KnownVersions(RESOURCES.configMap);
    expect(known.update(object('a', 'u1', '1'))).to.deep.equal([{ type: 'ADDED', object: object('a', 'u1', '1') }]);
    expect(known.update(object('a', 'u1', '1'))).to.deep.equal([]);
    expect(known.update(object('a', 'u1', '2'))).to.deep.equal([{ type: 'MODIFIED', object: object('a', 'u1', '2') }]);
  });

  it('tells of an object that took the name of another that it is gone, and that a new one is there', () => {
    const known = new KnownVersions(RESOURCES.configMap);
    known.update(object('a', 'u1', '1'));
    expect(known.update(object('a', 'u2', '5'))).to.deep.equal([
      { type: 'DELETED', object: object('a', 'u1', '1') },
      { type: 'ADDED', object: object('a', 'u2', '5') },
    ]);
    expect(known.remove(object('a', 'u1', '4'))).to.deep.equal([]);
    expect(known.size).to.equal(1);
  });

  it('tells who is missing from a complete list, once', () => {
    const known = new KnownVersions(RESOURCES.configMap);
    known.update(object('a', 'u1', '1'));
    known.update(object('b', 'u2', '2'));
    expect(known.retain(new Set(['one/b']))).to.deep.equal([{ type: 'DELETED', object: object('a', 'u1', '1') }]);
    expect(known.retain(new Set(['one/b']))).to.deep.equal([]);
  });
});
