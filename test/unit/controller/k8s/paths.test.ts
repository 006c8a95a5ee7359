import { expect } from 'chai';
import fc from 'fast-check';
import { collectionPath, objectPath, selectionQuery } from '../../../../cmd/controller/k8s/paths.ts';
import { RESOURCES, resourceOf } from '../../../../cmd/controller/k8s/resources.ts';

describe('k8s: paths', () => {
  it('are those of the core group and of named groups, of one namespace and of all', () => {
    expect(collectionPath(RESOURCES.secret, 'one')).to.equal('/api/v1/namespaces/one/secrets');
    expect(collectionPath(RESOURCES.deployment)).to.equal('/apis/apps/v1/deployments');
    expect(objectPath(RESOURCES.svcInstance, 'one', 'office', 'status')).to.equal(
      '/apis/svc.internal/v1/namespaces/one/svcinstances/office/status',
    );
  });

  it('attack: no name leads to another object or to a whole collection', () => {
    const prefix = '/api/v1/namespaces/one/secrets/';
    const names = fc.string({ minLength: 1, unit: 'grapheme' }).filter((name) => name !== '.' && name !== '..');
    fc.assert(
      fc.property(names, (name) => {
        const path = objectPath(RESOURCES.secret, 'one', name);
        expect(path.startsWith(prefix)).to.equal(true);
        expect(path.slice(prefix.length)).to.not.match(/[/?#]/);
      }),
    );
    expect(() => objectPath(RESOURCES.secret, 'one', '')).to.throw(TypeError);
    expect(() => objectPath(RESOURCES.secret, undefined, 'a')).to.throw(TypeError);
    for (const name of ['.', '..']) expect(() => objectPath(RESOURCES.secret, 'one', name)).to.throw(TypeError);
    for (const name of ['.', '..']) expect(() => objectPath(RESOURCES.secret, name, 'a')).to.throw(TypeError);
  });

  it('have a query of what is asked for and nothing else', () => {
    expect(selectionQuery({ namespace: 'one', metadataOnly: true })).to.deep.equal({});
    expect(selectionQuery({ labelSelector: 'a=b', limit: 5, continue: undefined })).to.deep.equal({
      labelSelector: 'a=b',
      limit: '5',
    });
    expect(selectionQuery({ resourceVersion: '0' }, { timeoutSeconds: 50 })).to.deep.equal({
      resourceVersion: '0',
      watch: '1',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '50',
    });
  });

  it('are found for each kind in the table, and for no other', () => {
    for (const resource of Object.values(RESOURCES)) expect(resourceOf(resource)).to.equal(resource);
    expect(() => resourceOf({ apiVersion: 'v1', kind: 'Node' })).to.throw(TypeError, 'v1 Node');
  });
});
