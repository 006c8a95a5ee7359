import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { definitionProblem } from '../../../../cmd/controller/reconcile/definition.ts';
import { refuse, useStandIn } from '../k8s/stand-in.ts';

interface Schema {
  properties: Record<string, Schema>;
}
interface Definition {
  spec: { versions: { name: string; served: boolean; schema: { openAPIV3Schema: Schema } }[] };
}

const FILE = new URL('../../../../crds/svcinstances.svc.internal.yaml', import.meta.url);
const WHERE = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/svcinstances.svc.internal';

describe('the CustomResourceDefinition in a cluster', () => {
  const at = useStandIn();
  let definition: Definition;

  beforeEach(async () => {
    definition = load(readFileSync(FILE, 'utf8')) as Definition;
    at.server.fault = ({ url }, response) => {
      if (url === WHERE) response.end(JSON.stringify(definition));
      return url === WHERE;
    };
  });

  const part = (name: 'spec' | 'status'): Schema['properties'] =>
    definition.spec.versions[0]?.schema.openAPIV3Schema.properties[name]?.properties ?? {};

  it('is good when it is the one of this version', async () => {
    expect(await definitionProblem(at.client)).to.equal(undefined);
  });

  it('is good when it has more, as after a controller that was set back', async () => {
    part('spec')['later'] = { properties: {} };
    expect(await definitionProblem(at.client)).to.equal(undefined);
  });

  it('is older when it lacks a field, at any depth, and then the controller says which', async () => {
    delete part('spec')['outbound'];
    delete part('spec')['gate']?.properties['pod']?.properties['affinity'];
    delete part('status')['plan']?.properties['async'];
    expect(await definitionProblem(at.client)).to.equal(
      'the CustomResourceDefinition svcinstances.svc.internal is older than this controller, it lacks ' +
        'spec.gate.pod.affinity, spec.outbound, status.plan.async: apply crds/svcinstances.svc.internal.yaml',
    );
  });

  it('is told to be missing, or not served', async () => {
    for (const version of definition.spec.versions) version.served = false;
    expect(await definitionProblem(at.client)).to.include('does not serve v1');
    at.server.fault = (_, response) => {
      refuse(response, 404, 'NotFound');
      return true;
    };
    expect(await definitionProblem(at.client)).to.include('is not installed');
  });

  it('need not be seen by a controller of single namespaces', async () => {
    at.server.fault = (_, response) => {
      refuse(response, 403, 'Forbidden');
      return true;
    };
    expect(await definitionProblem(at.client)).to.equal(undefined);
  });
});
