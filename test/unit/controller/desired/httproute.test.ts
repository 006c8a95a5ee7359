import { expect } from 'chai';
import { httpRouteObjects } from '../../../../cmd/controller/desired/httproute.ts';
import { essence, manifests } from './manifests.ts';
import { situationOf } from './situation.ts';

const ROUTE = { gating: 'Front', kind: 'HTTPRoute' };

describe('HTTPRoute', () => {
  it('is that of ingress/gateway/httproute.yaml', () => {
    const gateway = { name: 'office', sectionName: 'https' };
    expect(routes({ ...ROUTE, gateway }, 'svc').map(essence)).to.deep.equal(
      manifests('gateway/httproute.yaml').map(essence),
    );
  });

  it('attaches to a Gateway of another namespace', () => {
    const gateway = { name: 'public', namespace: 'gateways' };
    expect(routes({ ...ROUTE, gateway })[0]?.spec.parentRefs).to.deep.equal([gateway]);
  });

  it("has people's annotations", () => {
    const [route] = routes({ ...ROUTE, gateway: { name: 'g' }, annotations: { 'example.com/a': 'b' } });
    expect(route?.metadata.annotations).to.deep.equal({ 'example.com/a': 'b' });
  });

  it('is none where an Ingress or nothing is wanted', () => {
    for (const ingress of [{}, { gating: 'Front' }, { gating: 'None' }]) expect(routes(ingress)).to.deep.equal([]);
  });
});

function routes(ingress: object, name = 'office') {
  return httpRouteObjects(situationOf({ name, spec: { ingress } }));
}
