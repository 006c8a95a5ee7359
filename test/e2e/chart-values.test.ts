import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import type { KubernetesObject } from '../../cmd/controller/k8s/api.ts';
import { documentedValues } from '../../scripts/generate/chart-readme.ts';
import { CHART, helmMissing, only, refusal, render, type Values } from '../support/helm.ts';

const valuesText = readFileSync(join(CHART, 'values.yaml'), 'utf8');

describe("the chart's values", () => {
  const documented = new Set(documentedValues(valuesText).map(({ path }) => path));
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));

  it('are all documented by a comment and known to the schema', () => {
    const isDocumented = (path: string) =>
      path.split('.').some((_, index, names) => documented.has(names.slice(0, index + 1).join('.')));
    const paths = leaves(load(valuesText));
    expect(paths.filter((path) => !isDocumented(path))).to.deep.equal([]);
    expect(schema.properties).to.include.all.keys(paths.map((path) => path.split('.')[0] ?? ''));
  });

  describe('are refused', function () {
    this.timeout(30_000);
    before(function () {
      if (helmMissing() !== undefined) this.skip();
    });

    for (const [set, field] of [
      ['replicas="two"', '/replicas'],
      ['replicas=-1', '/replicas'],
      ['replica=2', 'replica'],
      ['crds.kept=true', '/crds'],
      ['watchNamespaces=["Office"]', '/watchNamespaces/0'],
      ['watchNamespaces=["a","a"]', '/watchNamespaces'],
      ['image.tag="a b"', '/image/tag'],
      ['image.digest="sha256:12"', '/image/digest'],
      ['image.repository="svc/controller:1.0.0"', '/image/repository'],
      ['image.pullPolicy="Sometimes"', '/image/pullPolicy'],
      ['images.gate.version="1"', '/images/gate'],
      ['images.worker={"repository":"x"}', '/images'],
      ['logLevel="loud"', '/logLevel'],
      ['clusterDns="dns.example"', '/clusterDns'],
      ['clusterDns="10.96.0.300"', '/clusterDns'],
      ['clusterDomain="cluster..local"', '/clusterDomain'],
      ['image.repository="svc..x/controller"', '/image/repository'],
      ['auditTarget="http://audit:99999"', '/auditTarget'],
      ['auditTarget="http://user:password@audit"', '/auditTarget'],
      ['auditTarget="http://["', '/auditTarget'],
      ['podDisruptionBudget.maxUnavailable=0', '/podDisruptionBudget/maxUnavailable'],
      ['networkPolicy.apiServerPorts=[]', '/networkPolicy/apiServerPorts'],
      ['networkPolicy.apiServerCidrs=["10.0.0.1"]', '/networkPolicy/apiServerCidrs/0'],
      ['nodeSelector={"a":true}', '/nodeSelector/a'],
      ['extraEnv=[{"value":"x"}]', '/extraEnv/0'],
      ['networkPolicy=null', 'networkPolicy'],
      ['auditTarget=null', 'auditTarget'],
      ['license.keys={"keys":[{"kty":"OKP","kid":"a","x":"b","d":"c"}]}', '/license/keys/keys/0/d'],
    ] as const) {
      it(`${set}, naming ${field}`, async () => {
        expect(await refusal({ set: [set] }))
          .to.include('values')
          .and.to.include(field);
      });
    }

    for (const [sentence, ...set] of [
      ['needs watchNamespaces', 'createClusterScopedResources=false', 'crds.enabled=false'],
      ['set crds.enabled to false', 'createClusterScopedResources=false', 'watchNamespaces=["a"]'],
      ['serviceAccount.name must name', 'serviceAccount.create=false'],
      ['can only come from one', 'license.existingConfigMap="a"', 'license.keys={"keys":[]}'],
      ['is not a JWK Set', 'license.keys="eyJhbGciOiJFZERTQSJ9"'],
      ['holds the private key "2026"', String.raw`license.keys="{\"keys\":[{\"kid\":\"2026\",\"d\":\"x\"}]}"`],
      ['no Ed25519 key with a kid', 'license.keys={"keys":[{"kty":"OKP","crv":"X25519","kid":"a","x":"b"}]}'],
      [
        'no Ed25519 key with a kid',
        String.raw`license.keys="{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"a\",\"n\":\"x\"}, 7]}"`,
      ],
      ['images.editor needs a tag', 'images.editor.tag=""'],
      ['networkPolicy.extraEgress', 'auditTarget="https://audit.example"'],
      ['may not have helm.sh/chart', 'commonLabels={"helm.sh/chart":"a"}'],
      ['SVC_LOG_LEVEL, which the chart sets', 'extraEnv=[{"name":"SVC_LOG_LEVEL","value":"debug"}]'],
    ] as const) {
      it(`${set.join(' and ')}: ${sentence}`, async () => {
        expect(await refusal({ set })).to.include(sentence);
      });
    }
  });
});

describe("the chart's objects", function () {
  this.timeout(30_000);
  before(function () {
    if (helmMissing() !== undefined) this.skip();
  });

  const LONG = 'a'.repeat(63);
  const values: readonly Values[] = [
    ...[LONG, `${'a'.repeat(51)}.${'b'.repeat(11)}`, '1.x'].flatMap((name) => [
      { set: [`nameOverride="${name}"`] },
      { set: [`fullnameOverride="${name}"`] },
    ]),
    { set: [`fullnameOverride="${'a'.repeat(37)}-.b"`] },
    { release: '1st' },
    { release: 'a.b' },
    { release: LONG.slice(0, 53) },
  ];
  for (const given of values) {
    it(`have names and labels that Kubernetes takes with ${given.release ?? given.set?.[0]}`, async () => {
      for (const object of await render(given)) {
        const { name, labels = {} } = object.metadata;
        expect(name).to.match(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
        if (object.kind === 'Service') expect(name).to.match(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
        expect(name.length).to.be.at.most(63);
        for (const value of [...Object.values(labels), ...Object.values(podLabels(object))]) {
          expect(value, object.kind).to.match(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
        }
      }
    });
  }

  it('are those of an empty list or map where one is set to null', async () => {
    const expected = await render();
    for (const name of ['watchNamespaces', 'imagePullSecrets', 'commonLabels', 'podLabels', 'podAnnotations']) {
      expect(await render({ set: [`${name}=null`] }), name).to.deep.equal(expected);
    }
  });

  it('have the text of license.keys whatever space is around it', async () => {
    const key = { kty: 'OKP', crv: 'Ed25519', kid: '2026', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    const text = JSON.stringify({ keys: [key] }, null, 2);
    const objects = await render({ set: [`license.keys=${JSON.stringify(`\n   ${text}\n\n`)}`] });
    const { data } = only<KubernetesObject & { data: Record<string, string> }>(objects, 'ConfigMap');
    expect(JSON.parse(data['keys.json'] ?? '')).to.deep.equal({ keys: [key] });
  });
});

function podLabels(object: KubernetesObject): Record<string, string> {
  const { template } = (object as KubernetesObject & { spec?: { template?: KubernetesObject } }).spec ?? {};
  return template?.metadata.labels ?? {};
}

function leaves(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return [path];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, path ? `${path}.${name}` : name));
}
