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
});

function routes(ingress: object, name = 'office') {
  return httpRouteObjects(situationOf({ name, spec: { ingress } }));
}
