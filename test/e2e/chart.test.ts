import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { V1CustomResourceDefinition, V1NetworkPolicy, V1PolicyRule } from '@kubernetes/client-node';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { loadConfig } from '../../cmd/controller/config.ts';
import { desired } from '../../cmd/controller/desired/index.ts';
import { type KubernetesObject, RESOURCES } from '../../cmd/controller/k8s/api.ts';
import { schemas } from '../../src/common/schema.ts';
import { findDifferences } from '../support/differences.ts';
import { useFolder } from '../support/folder.ts';
import { expectGolden } from '../support/golden.ts';
import { CHART, getEnvironment, helmMissing, notes, only, render } from '../support/helm.ts';
import { listeningPort } from '../support/listen.ts';
import { skip } from '../support/skip.ts';
import { makeSituation } from '../unit/controller/desired/situation.ts';

const root = resolve(import.meta.dirname, '../..');
const sets = readdirSync(join(CHART, 'ci')).map((name) => join(CHART, 'ci', name));
const NAMESPACED = { files: [join(CHART, 'ci/namespaced-values.yaml')] };
const FULL = { files: [join(CHART, 'ci/full-values.yaml')] };

const KEY = { kty: 'OKP', crv: 'Ed25519', kid: '2026', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
const KEYS = JSON.stringify({ keys: [KEY] });

/** Each rule with values that show it. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  'an image may come from a registry of its own': ['images.gate.registry="own.example:5000"'],
  'public keys that licences are verified with may be given as an object': [`license.keys=${KEYS}`],
  'public keys that licences are verified with may be given as a file': [`license.keys=${JSON.stringify(KEYS)}`],
  'a key set may be empty': ['license.keys={"keys":[]}'],
  'other labels change no selector': ['commonLabels={"team":"a"}', 'podLabels={"b":"c"}'],
  'the CRD may go with the release': ['crds.keep=false'],
  'the CRD may be no part of the release': ['crds.enabled=false'],
};

interface Role extends KubernetesObject {
  rules: V1PolicyRule[];
}

describe('the chart', function () {
  this.timeout(30_000);
  const folder = useFolder();
  before(function () {
    const missing = helmMissing();
    if (missing !== undefined) skip(this, missing);
  });

  const golden = (name: string) => new URL(`golden/${name}.yaml`, import.meta.url);
  /** The definition is compared with the published one, below. */
  const isNoDefinition = ({ kind }: KubernetesObject) => kind !== 'CustomResourceDefinition';

  for (const file of sets) {
    const name = basename(file, '-values.yaml');
    it(`renders the objects of golden/chart-${name}.yaml (UPDATE_GOLDEN=1 writes it)`, async () => {
      const objects = await render({ files: [file] });
      expectGolden(golden(`chart-${name}`), objects.filter(isNoDefinition));
    });
  }

  it('renders others as golden/chart-variants.yaml says (UPDATE_GOLDEN=1 writes it)', async () => {
    const before = await render();
    const found = Object.entries(VARIANTS).map(async ([rule, set]) => ({
      rule,
      changes: findDifferences(before, await render({ set })),
    }));
    expectGolden(golden('chart-variants'), await Promise.all(found));
  });

  it('says after an installation, as golden/chart-notes.yaml has it, what to do next, and where to look', async () => {
    expectGolden(golden('chart-notes'), [await notes(), await notes(FULL), await notes(NAMESPACED)]);
  });

  it('gives the controller rights on the kinds that it knows, few others, and no instance that it may change', async () => {
    const objects = await render();
    const granted = ['svc-controller', 'svc-controller-definition'].flatMap(
      (name) => only<Role>(objects, 'ClusterRole', name).rules,
    );
    const rules = [...granted, ...only<Role>(objects, 'Role', 'svc-controller-lease').rules];
    const kinds = new Set(rules.flatMap(({ resources = [] }) => resources));
    const further = ['customresourcedefinitions', 'ingressclasses', 'pods', 'pods/resize', 'svcinstances/status'];
    expect([...kinds]).to.have.members([...Object.values(RESOURCES).map(({ plural }) => plural), ...further]);
  });

  it('lets the controller reach DNS at all ports at which its instances reach it', async () => {
    const egress = (objects: readonly KubernetesObject[], name: string) =>
      only<V1NetworkPolicy & KubernetesObject>(objects, 'NetworkPolicy', name).spec?.egress ?? [];
    const ofFront = egress(desired(makeSituation()), 'office-front').flatMap(({ ports = [] }) => ports);
    const ofController = egress(await render(), 'svc-controller')[0]?.ports ?? [];
    const shown = ({ port, protocol }: { port?: unknown; protocol?: string }) => `${port}/${protocol}`;
    const dns = ofFront.map(shown).filter((port) => /^(53|5353)\//.test(port));
    expect(ofController.map(shown)).to.have.members([...new Set(dns)]);
  });

  it('gives each release a Lease of its own, and the right to that one', async () => {
    for (const [set, name] of [
      [[], 'svc-controller'],
      [['fullnameOverride="other"'], 'other-controller'],
    ] as const) {
      const objects = await render({ set });
      expect(getEnvironment(objects)['SVC_CONTROLLER_LEASE_NAME']).to.equal(name);
      const { rules } = only<Role>(objects, 'Role', `${name}-lease`);
      expect(rules.flatMap(({ resourceNames = [] }) => resourceNames)).to.deep.equal([name]);
    }
  });

  it('has no cluster-scoped object for who administers namespaces only, and the same rights in each', async () => {
    const objects = await render(NAMESPACED);
    expect(objects.filter(({ metadata }) => !metadata.namespace)).to.deep.equal([]);
    const everywhere = only<Role>(await render(), 'ClusterRole', 'svc-controller').rules;
    const roles = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'svc-controller');
    expect(roles.map(({ metadata }) => metadata.namespace)).to.deep.equal(['office', 'portal']);
    for (const role of roles) expect((role as Role).rules).to.deep.equal(everywhere);
    expect(getEnvironment(objects)['SVC_CONTROLLER_NAMESPACES']).to.equal('office,portal');
  });

  it('installs the published CRD', async () => {
    const found = only<V1CustomResourceDefinition & KubernetesObject>(await render(), 'CustomResourceDefinition');
    const published = load(readFileSync(join(root, 'crds/svcinstances.svc.internal.yaml'), 'utf8'));
    expect(found.spec).to.deep.equal((published as V1CustomResourceDefinition).spec);
    expect(found.metadata.annotations).to.include({ 'helm.sh/resource-policy': 'keep' });
  });

  it('gives the controller variables that it starts with', async () => {
    const resolvConf = folder.at('resolv.conf');
    await writeFile(resolvConf, 'search svc-system.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\n');
    for (const file of sets) {
      const environment = getEnvironment(await render({ files: [file] }));
      const known = schemas.get('controller-config.json')?.properties ?? {};
      expect(Object.keys(known)).to.include.members(Object.keys(environment).filter((name) => /^SVC_/.test(name)));
      const { SVC_CONTROLLER_LEASE_NAMESPACE: _, ...given } = environment;
      expect(loadConfig(given, { resolvConf }).listen.port).to.equal(8081);
    }
  });

  it('tells by helm test whether the CRD is served and the controller is ready', async () => {
    const token = await folder.file('not a secret');
    let resources = ['svcinstances', 'svcinstances/status'];
    let health = 200;
    const server = createServer(({ url, headers }, response) => {
      if (url === '/readyz') return response.writeHead(health).end();
      const known = url === '/apis/svc.internal/v1' && headers.authorization === 'Bearer not a secret';
      return response
        .writeHead(known ? 200 : 404)
        .end(JSON.stringify({ resources: resources.map((name) => ({ name })) }));
    });
    const address = `http://127.0.0.1:${await listeningPort(server.listen(0, '127.0.0.1'))}`;
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
    }
  });

  it('passes helm lint and, with what the controller makes, kubeconform, and kube-linter where that can be had', () => {
    execFileSync('scripts/check-chart.sh', { cwd: root, stdio: 'pipe' });
  }).timeout(180_000);
});
