import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { Client } from '../../../../cmd/controller/k8s/client.ts';
import { definitionProblem } from '../../../../cmd/controller/reconcile/definition.ts';

interface Schema {
  properties: Record<string, Schema>;
}
interface Version {
  served: boolean;
  schema: { openAPIV3Schema: Schema };
}

const FILE = new URL('../../../../crds/svcinstances.svc.internal.yaml', import.meta.url);
const PUBLISHED = readFileSync(FILE, 'utf8');

/** The published one, changed: its version, its spec and its status. */
function changed(change: (version: Version, spec: Schema['properties'], status: Schema['properties']) => void): object {
  const definition = load(PUBLISHED) as { spec: { versions: [Version] } };
  const [version] = definition.spec.versions;
  const { spec, status } = version.schema.openAPIV3Schema.properties;
  change(version, spec?.properties ?? {}, status?.properties ?? {});
  return definition;
}
const LACKING = changed((_, spec, status) => {
  delete spec['outbound'];
  delete spec['gate']?.properties['pod']?.properties['affinity'];
  delete status['plan']?.properties['async'];
});

describe('the CustomResourceDefinition in a cluster', () => {
  for (const [what, found, problem] of [
    ['is good when it is the one of this version', load(PUBLISHED)],
    [
      'is good when it has more, as after a controller that was set back',
      changed((_, spec) => Object.assign(spec, { later: { properties: {} } })),
    ],
    [
      'is older when it lacks a field, at any depth, and then the controller says which',
      LACKING,
      'the CustomResourceDefinition svcinstances.svc.internal is older than this controller, it lacks ' +
        'spec.gate.pod.affinity, spec.outbound, status.plan.async: apply crds/svcinstances.svc.internal.yaml',
    ],
    ['is told to be missing', undefined, 'is not installed'],
    ['is told not to be served', changed((version) => Object.assign(version, { served: false })), 'does not serve v1'],
    ['need not be seen by a controller of single namespaces', new ApiError('GET /x', { status: 403 })],
  ] as [what: string, found: unknown, problem?: string][]) {
    it(what, async () => {
      const get = async () => {
        if (found instanceof Error) throw found;
        return found;
      };
      const reported = await definitionProblem({ get } as unknown as Client);
      if (problem) expect(reported).to.include(problem);
      else expect(reported).to.equal(undefined);
    });
  }
});
