import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type {
  V1ConfigMap,
  V1CustomResourceDefinition,
  V1Deployment,
  V1NetworkPolicy,
  V1PolicyRule,
} from '@kubernetes/client-node';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { loadConfig } from '../../cmd/controller/config.ts';
import { desired } from '../../cmd/controller/desired/index.ts';
import { RESOURCES } from '../../cmd/controller/k8s/resources.ts';
import type { KubernetesObject } from '../../cmd/controller/k8s/types.ts';
import { parseKeySet } from '../../src/common/crypto/key-set.ts';
import { schemas } from '../../src/common/schema.ts';
import { CHART, environmentOf, helmMissing, notes, only, render } from '../support/helm.ts';
import { ruleBreaks } from '../support/kubernetes-rules.ts';
import { portOf } from '../support/listen.ts';
import { situationOf } from '../unit/controller/desired/situation.ts';

const root = resolve(import.meta.dirname, '../..');
const sets = readdirSync(join(CHART, 'ci')).map((name) => join(CHART, 'ci', name));
const NAMESPACED = { files: [join(CHART, 'ci/namespaced-values.yaml')] };
const FULL = { files: [join(CHART, 'ci/full-values.yaml')] };

/** What the controller does to each kind that it knows; a kind that is new there does not compile here. */
const OWNED = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
/** They go with their instance, and no sooner. */
const KEPT = OWNED.filter((verb) => verb !== 'delete');
/** Beside the table: read by name or listed only. */
const FURTHER: Record<string, readonly string[]> = {
  'customresourcedefinitions.apiextensions.k8s.io': ['get'],
  'ingressclasses.networking.k8s.io': ['get'],
  'pods.': ['list'],
  'pods/resize.': ['patch'],
  'svcinstances/status.svc.internal': ['patch'],
};
const VERBS: Record<keyof typeof RESOURCES, readonly string[]> = {
  svcInstance: ['get', 'list', 'watch'],
  deployment: OWNED,
  service: OWNED,
  serviceAccount: OWNED,
  configMap: OWNED,
  secret: KEPT,
  persistentVolumeClaim: KEPT,
  podDisruptionBudget: OWNED,
  horizontalPodAutoscaler: OWNED,
  networkPolicy: OWNED,
  ingress: OWNED,
  httpRoute: OWNED,
  lease: ['create', 'get', 'update'],
  event: ['create', 'list', 'patch'],
};

interface Role extends KubernetesObject {
  rules: V1PolicyRule[];
}

describe('the chart', function () {
  this.timeout(30_000);
  before(function () {
    const missing = helmMissing();
    if (missing === undefined) return;
    process.stderr.write(`the chart is not tested: ${missing}\n`);
    this.skip();
  });

  for (const file of sets) {
    it(`renders objects that break no rule: ${file.slice(CHART.length + 1)}`, async () => {
      const objects = await render({ files: [file] });
      expect(objects.map(({ kind }) => kind)).to.include('Deployment');
      // An account that was given is not part of the release.
      const given = /no ServiceAccount given|no budget|is not isolated/;
      const breaks = ruleBreaks(objects).filter((rule) => !(file.includes('bare') && given.test(rule)));
      expect(breaks.filter((rule) => !/^ConfigMap\/svc-(extra|text): no label/.test(rule))).to.deep.equal([]);
    });
  }

  it('gives the controller the right to do what it does, to the kinds that it knows, and no other', async () => {
    const objects = await render();
    const granted = [
      ...only<Role>(objects, 'ClusterRole', 'svc-controller').rules,
      ...only<Role>(objects, 'ClusterRole', 'svc-controller-definition').rules,
      ...only<Role>(objects, 'Role', 'svc-controller-lease').rules,
    ];
    const expected = Object.entries(RESOURCES).map(([key, { apiVersion, plural }]) => {
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
      return [`${plural}.${group}`, VERBS[key as keyof typeof RESOURCES]] as const;
    });
    expect(rights(granted)).to.deep.equal(Object.fromEntries([...expected, ...Object.entries(FURTHER)].sort()));
    expect(
      granted.filter(({ resourceNames }) => resourceNames).map(({ resourceNames }) => resourceNames),
    ).to.deep.equal([['svcinstances.svc.internal'], ['svc-controller']]);
  });

  it('lets the controller reach DNS at all ports at which its instances reach it', async () => {
    const egress = (objects: readonly KubernetesObject[], name: string) =>
      only<V1NetworkPolicy & KubernetesObject>(objects, 'NetworkPolicy', name).spec?.egress ?? [];
    const ofFront = egress(desired(situationOf()), 'office-front').at(-1)?.ports ?? [];
    const ofController = egress(await render(), 'svc-controller')[0]?.ports ?? [];
    const shown = ({ port, protocol }: { port?: unknown; protocol?: string }) => `${port}/${protocol}`;
    expect(ofController.map(shown).sort()).to.deep.equal(ofFront.map(shown).sort());
  });

  it('tells the controller what instances may have', async () => {
    const allow = (objects: readonly KubernetesObject[]) => environmentOf(objects)['SVC_CONTROLLER_ALLOW'];
    expect(allow(await render())).to.equal(undefined);
    expect(allow(await render(FULL))?.split(',')).to.have.members([
      'ingressAnnotations=nginx.ingress.kubernetes.io/auth-*',
      'podLabels=team',
      'editorParams=*',
    ]);
  });

  it('gives each release a Lease of its own, and the right to that one', async () => {
    for (const [set, name] of [
      [[], 'svc-controller'],
      [['fullnameOverride="other"'], 'other-controller'],
    ] as const) {
      const objects = await render({ set });
      expect(environmentOf(objects)['SVC_CONTROLLER_LEASE_NAME']).to.equal(name);
      const { rules } = only<Role>(objects, 'Role', `${name}-lease`);
      expect(rules.flatMap(({ resourceNames = [] }) => resourceNames)).to.deep.equal([name]);
    }
  });

  it('lets people who may view, edit or administer a namespace do so with instances', async () => {
    const objects = await render();
    const of = (name: string) => only<Role>(objects, 'ClusterRole', name);
    expect(rights(of('svc-view').rules)['svcinstances.svc.internal']).to.deep.equal(['get', 'list', 'watch']);
    for (const name of ['view', 'edit', 'admin']) {
      const label = `rbac.authorization.k8s.io/aggregate-to-${name}`;
      expect(of(`svc-${name}`).metadata.labels).to.include({ [label]: 'true' });
    }
    const writers = [...of('svc-edit').rules, ...of('svc-admin').rules];
    expect(writers.flatMap(({ resources = [] }) => resources)).not.to.include('svcinstances/status');
  });

  it('has no cluster-scoped object for who administers namespaces only, and the same rights in each', async () => {
    const objects = await render(NAMESPACED);
    expect(objects.filter(({ metadata }) => !metadata.namespace)).to.deep.equal([]);
    const everywhere = only<Role>(await render(), 'ClusterRole', 'svc-controller').rules;
    const roles = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'svc-controller');
    expect(roles.map(({ metadata }) => metadata.namespace)).to.deep.equal(['office', 'portal']);
    for (const role of roles) expect((role as Role).rules).to.deep.equal(everywhere);
    expect(environmentOf(objects)['SVC_CONTROLLER_NAMESPACES']).to.equal('office,portal');
  });

  it('installs the CRD so that neither an uninstall nor crds.enabled=false takes it, and instances, away', async () => {
    const crd = (objects: readonly KubernetesObject[]) =>
      only<V1CustomResourceDefinition & KubernetesObject>(objects, 'CustomResourceDefinition');
    const found = crd(await render());
    expect(found.metadata.name).to.equal('svcinstances.svc.internal');
    expect(found.metadata.annotations).to.include({ 'helm.sh/resource-policy': 'keep' });
    const other = crd(await render({ set: ['crds.keep=false'] }));
    expect(other.metadata.annotations ?? {}).not.to.have.property('helm.sh/resource-policy');
    const published = load(readFileSync(join(root, 'crds/svcinstances.svc.internal.yaml'), 'utf8'));
    expect(found.spec).to.deep.equal((published as V1CustomResourceDefinition).spec);
    const without = await render({ set: ['crds.enabled=false'] });
    expect(without.map(({ kind }) => kind)).not.to.include('CustomResourceDefinition');
  });

  it('names images by registry, tag and digest, of the chart version where nothing else is said', async () => {
    const plain = environmentOf(await render());
    expect(plain).to.include({
      SVC_CONTROLLER_GATE_IMAGE: 'localhost/svc/gate:1.0.0',
      SVC_CONTROLLER_DOCBUILDER_IMAGE: 'localhost/svc/docbuilder:1.0.0',
      SVC_CONTROLLER_EDITOR_IMAGE: 'docker.io/collabora/code:25.04.9.4.1',
      SVC_CONTROLLER_FRONT_IMAGE: 'localhost/svc/front:1.0.0',
    });
    const full = await render(FULL);
    const pod = only<V1Deployment & KubernetesObject>(full, 'Deployment').spec?.template.spec;
    expect(pod?.containers[0]?.image).to.match(/^registry\.example\/mirror\/svc\/controller@sha256:[0-9a-f]{64}$/);
    expect(environmentOf(full)['SVC_CONTROLLER_GATE_IMAGE']).to.equal('registry.example/mirror/svc/gate:1.0.1');
    expect(pod?.imagePullSecrets).to.deep.equal([{ name: 'mirror' }, { name: 'own' }]);
    // For instances those that are the whole release's.
    expect(environmentOf(full)['SVC_CONTROLLER_PULL_SECRETS']).to.equal('mirror');
    expect(plain).not.to.have.property('SVC_CONTROLLER_PULL_SECRETS');
    const own = await render({ set: ['images.gate.registry="own.example:5000"'] });
    expect(environmentOf(own)['SVC_CONTROLLER_GATE_IMAGE']).to.equal('own.example:5000/svc/gate:1.0.0');
  });

  it('mounts the public keys that licences are verified with, given as an object or as a file', async () => {
    const key = { kty: 'OKP', crv: 'Ed25519', kid: '2026', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    const asText = JSON.stringify(JSON.stringify({ keys: [key] }));
    for (const set of [`license.keys=${JSON.stringify({ keys: [key] })}`, `license.keys=${asText}`]) {
      const objects = await render({ set: [set] });
      const text = only<V1ConfigMap & KubernetesObject>(objects, 'ConfigMap').data?.['keys.json'] ?? '';
      expect(parseKeySet(text).ok).to.equal(true);
      expect(environmentOf(objects)['SVC_LICENSE_KEYS_FILE']).to.equal('/run/svc/license-keys/keys.json');
    }
    const none = await render({ set: ['license.keys={"keys":[]}'] });
    expect(parseKeySet(only<V1ConfigMap & KubernetesObject>(none, 'ConfigMap').data?.['keys.json'] ?? '').ok).to.equal(
      true,
    );
    expect(environmentOf(await render())).not.to.have.property('SVC_LICENSE_KEYS_FILE');
  });

  it('gives the controller variables that it starts with', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-chart-'));
    try {
      const resolvConf = join(folder, 'resolv.conf');
      await writeFile(resolvConf, 'search svc-system.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\n');
      for (const file of sets) {
        const environment = environmentOf(await render({ files: [file] }));
        const known = schemas.get('controller-config.json')?.properties ?? {};
        expect(Object.keys(known)).to.include.members(Object.keys(environment).filter((name) => /^SVC_/.test(name)));
        const { SVC_CONTROLLER_LEASE_NAMESPACE: _, ...given } = environment;
        expect(loadConfig(given, { resolvConf }).listen.port).to.equal(8081);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('changes no selector when version and labels change', async () => {
    const selector = async (set: string[]) =>
      only<V1Deployment & KubernetesObject>(await render({ set }), 'Deployment').spec?.selector;
    expect(await selector(['commonLabels={"team":"a"}', 'podLabels={"b":"c"}'])).to.deep.equal(await selector([]));
  });

  it('says after an installation what to do next, and where to look', async () => {
    const text = await notes();
    for (const command of [
      'kubectl -n default wait svcinstance/office --for=condition=Ready',
      'kubectl -n default get secret office-secrets',
      'create secret generic svc-license --from-file=token=',
      '--set-file license.keys=license-keys.json',
      'helm test svc -n svc-system',
      'kubectl -n default describe svcinstance office',
      'kubectl -n svc-system logs deployment/svc-controller',
    ]) {
      expect(text).to.include(command);
    }
    expect(await notes(FULL)).not.to.include('license-keys.json');
    expect(await notes(NAMESPACED))
      .to.include('kubectl -n office wait')
      .and.to.include('The CRD is not part');
  });

  it('tells by helm test whether the CRD is served and the controller is ready', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-chart-'));
    const token = join(folder, 'token');
    await writeFile(token, 'not a secret');
    let resources = ['svcinstances', 'svcinstances/status'];
    let health = 200;
    const server = createServer(({ url, headers }, response) => {
      if (url === '/readyz') return response.writeHead(health).end();
      const known = url === '/apis/svc.internal/v1' && headers.authorization === 'Bearer not a secret';
      return response
        .writeHead(known ? 200 : 404)
        .end(JSON.stringify({ resources: resources.map((name) => ({ name })) }));
    });
    const address = `http://127.0.0.1:${await portOf(server.listen(0, '127.0.0.1'))}`;
    const check = () =>
      promisify(execFile)(process.execPath, ['-e', readFileSync(join(CHART, 'files/check.cjs'), 'utf8')], {
        env: { API_SERVER: address, CONTROLLER: address, TOKEN_FILE: token },
      }).then(
        ({ stdout }) => stdout,
        (error: { stderr: string }) => error.stderr,
      );
    try {
      expect(await check()).to.equal('the CRD is served, the controller is ready\n');
      health = 503;
      expect(await check()).to.include('/readyz answers 503');
      resources = ['svcinstances'];
      expect(await check()).to.include('has no svcinstances/status');
    } finally {
      server.close();
      await rm(folder, { recursive: true });
    }
  });

  it('passes helm lint and, with what the controller makes, kubeconform, and kube-linter where that can be had', () => {
    execFileSync('scripts/check-chart.sh', { cwd: root, stdio: 'pipe' });
  }).timeout(180_000);
});

/** `resource.group` to the verbs, sorted. */
function rights(rules: readonly V1PolicyRule[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { apiGroups = [], resources = [], verbs } of rules) {
    for (const name of apiGroups.flatMap((group) => resources.map((resource) => `${resource}.${group}`))) {
      found[name] = [...new Set([...(found[name] ?? []), ...verbs])].sort();
    }
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}
