import { expect } from 'chai';
import { desired } from '../../../cmd/controller/desired/index.ts';
import type { KubernetesObject } from '../../../cmd/controller/k8s/api.ts';
import { type ApiServer, apiServerMissing, sharedApiServer } from '../../support/api-server.ts';
import { INSTANCES } from '../../unit/controller/desired/instances.ts';
import { getId, pods } from '../../unit/controller/desired/objects.ts';
import { makeSituation } from '../../unit/controller/desired/situation.ts';

describe('what an instance becomes', function () {
  this.timeout(60_000);
  let server: ApiServer;

  before(async function () {
    if (apiServerMissing()) this.skip();
    server = await sharedApiServer();
  });

  for (const [name, options] of Object.entries(INSTANCES)) {
    it(`has no field that the API server does not know, and is not changed by another apply: ${name}`, async () => {
      const situation = makeSituation(options);
      situation.instance.metadata.namespace = await server.namespace();
      // Gateway API is not part of Kubernetes.
      const objects = desired(situation).filter(({ kind }) => kind !== 'HTTPRoute');
      const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      const apply = ['apply', '--server-side', '--validate=strict', '-o', 'json', '-f', '-'];
      const applied = async () => {
        const { items }: { items: KubernetesObject[] } = JSON.parse(await server.kubectl(apply, manifest));
        return items.map((object) => `${getId(object)} ${object.metadata.resourceVersion}`);
      };
      expect(await applied()).to.have.length(objects.length);
      // The API server itself changes a claim with the first update after its creation.
      const second = await applied();
      expect(await applied()).to.deep.equal(second);
    });
  }

  it('are pods of the restricted profile; only the editor is none, for the reasons that are written down', async () => {
    const namespace = await server.namespace();
    const situation = makeSituation();
    situation.instance.metadata.namespace = namespace;
    const objects = desired(situation);
    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
    const create = ['create', '--validate=strict', '-f', '-'];
    await server.kubectl(create, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: accounts }));
    await server.kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
    const refusals: string[] = [];
    for (const [component, { metadata, spec }] of pods(objects)) {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: component, namespace }, spec };
      await server.kubectl([...create, '--dry-run=server'], JSON.stringify(pod)).catch(({ stderr }) => {
        refusals.push(`${component}: ${/violates PodSecurity "restricted:latest": (.*)/.exec(stderr)?.[1]}`);
      });
    }
    expect(refusals).to.have.length(1);
    expect(refusals[0]).to.match(/^editor: allowPrivilegeEscalation != false .*, unrestricted capabilities .*$/);
  });
});
