import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { documentedValues } from '../../scripts/generate/chart-readme.ts';
import { CHART, helmMissing, refusal } from '../support/helm.ts';

const valuesText = readFileSync(join(CHART, 'values.yaml'), 'utf8');

describe("the chart's values", () => {
  const documented = new Set(documentedValues(valuesText).map(({ path }) => path));
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));

  it('are all documented by a comment and known to the schema', () => {
    for (const path of leaves(load(valuesText))) {
      const parents = path.split('.').map((_, index, names) => names.slice(0, index + 1).join('.'));
      expect(
        parents.some((name) => documented.has(name)),
        `${path} is documented`,
      ).to.equal(true);
      expect(schema.properties, path).to.have.property(path.split('.')[0] ?? '');
    }
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
      ['listenAddress="localhost"', '/listenAddress'],
      ['podDisruptionBudget.maxUnavailable=0', '/podDisruptionBudget/maxUnavailable'],
      ['networkPolicy.apiServerPorts=[]', '/networkPolicy/apiServerPorts'],
      ['networkPolicy.apiServerCidrs=["10.0.0.1"]', '/networkPolicy/apiServerCidrs/0'],
      ['nodeSelector={"a":true}', '/nodeSelector/a'],
      ['extraEnv=[{"value":"x"}]', '/extraEnv/0'],
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

function leaves(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return [path];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, path ? `${path}.${name}` : name));
}
