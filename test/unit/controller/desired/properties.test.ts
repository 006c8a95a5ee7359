import type { V1DeploymentSpec, V1NetworkPolicySpec, V1ServiceSpec } from '@kubernetes/client-node';
import { expect } from 'chai';
import fc from 'fast-check';
import { desired } from '../../../../cmd/controller/desired/index.ts';
import { objectNames } from '../../../../cmd/controller/desired/names.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { situations } from './arbitraries.ts';
import { INSTANCES } from './instances.ts';
import { container, decoded, idOf, objectsOf, pods, selects, specOf } from './objects.ts';
import { type Options, situationOf } from './situation.ts';

/** As long as the API lets it be. */
const LONGEST = `${'o'.repeat(39)}9`;
const COMPONENTS = ['gate', 'docbuilder', 'editor', 'front'] as const;

/** Runs on any instance, and on those of the golden files. */
function always(check: (options: Options) => void): void {
  fc.assert(
    fc.property(situations, (options) => check(options)),
    { numRuns: 60, examples: Object.values(INSTANCES).map((options) => [options]) },
  );
}

describe('objects of any instance', () => {
  it('follow from the situation alone, which is not changed', () => {
    always((options) => {
      const situation = situationOf(options);
      const before = structuredClone(situation);
      const objects = desired(situation);
      expect(situation).to.deep.equal(before);
      expect(desired(before)).to.deep.equal(objects);
    });
  });

  it('have names of their own, of at most 63 characters, in the namespace of the instance that owns them', () => {
    always((options) => {
      const objects = objectsOf({ ...options, name: LONGEST });
      expect(new Set(objects.map(idOf)).size).to.equal(objects.length);
      for (const { kind, metadata } of objects) {
        expect(metadata.name, metadata.name).to.match(/^[a-z][a-z0-9-]*$/);
        expect(metadata.name.length).to.be.at.most(63);
        expect(metadata.namespace).to.equal('documents');
        const retained = !options.spec?.storage || !('onDelete' in options.spec.storage);
        if (kind === 'PersistentVolumeClaim' && retained) {
          expect(metadata.ownerReferences).to.deep.equal([]);
        } else {
          expect(metadata.ownerReferences).to.have.length(1);
          expect(metadata.ownerReferences?.[0]).to.include({ kind: 'SvcInstance', controller: true, name: LONGEST });
        }
        for (const value of Object.values(metadata.labels ?? {})) expect(value.length).to.be.at.most(63);
      }
    });
  });

  it('come after what they refer to', () => {
    const kinds = objectsOf(INSTANCES['enterprise']).map(({ kind }) => kind);
    const last = (kind: string) => kinds.lastIndexOf(kind);
    for (const first of [
      'ServiceAccount',
      'Secret',
      'ConfigMap',
      'PersistentVolumeClaim',
      'NetworkPolicy',
      'Service',
    ]) {
      expect(last(first), first).to.be.within(0, kinds.indexOf('Deployment') - 1);
    }
    expect(last('Deployment')).to.be.below(kinds.indexOf('Ingress'));
  });

  it('select the pods of their own component, of their own instance, and no others', () => {
    always((options) => {
      const objects = objectsOf(options);
      const theirs = objectsOf({ ...options, name: 'office-gate' });
      for (const object of objects) {
        const selector = selectorOf(object);
        const component = object.metadata.labels?.['app.kubernetes.io/component'];
        if (!selector || component === undefined) continue;
        for (const [other, { metadata }] of pods(objects)) {
          expect(selects(selector, metadata?.labels ?? {}), `${idOf(object)} and ${other}`).to.equal(
            other === component,
          );
        }
        for (const [, { metadata }] of pods(theirs)) {
          expect(selects(selector, metadata?.labels ?? {}), idOf(object)).to.equal(false);
        }
      }
    });
  });

  it('give every pod a policy, a budget, a Service and an account of its own', () => {
    always((options) => {
      const objects = objectsOf(options);
      const ids = objects.map(idOf);
      for (const component of COMPONENTS) {
        const name = objectNames('office').component[component];
        for (const kind of ['Deployment', 'ServiceAccount', 'Service', 'PodDisruptionBudget', 'NetworkPolicy']) {
          expect(ids).to.include(`${kind}/${name}`);
        }
        expect(pods(objects).get(component)?.spec).to.include({
          serviceAccountName: name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
        });
      }
    });
  });

  it('name only ports, claims, Secrets and keys that there are', () => {
    always((options) => {
      const objects = objectsOf(options);
      const ids = new Set(objects.map(idOf));
      const secrets = decoded(objects, 'office-secrets');
      const exists = (key: string | undefined) => expect(secrets, key).to.have.property(key ?? '');
      for (const [component, { spec }] of pods(objects)) {
        for (const { persistentVolumeClaim: claim, secret, configMap } of spec?.volumes ?? []) {
          if (claim) expect(ids).to.include(`PersistentVolumeClaim/${claim.claimName}`);
          // The authorities are somebody else's.
          const given =
            options.spec?.outbound && 'caBundle' in options.spec.outbound && configMap?.name === 'authorities';
          if (configMap && !given) expect(ids).to.include(`ConfigMap/${configMap.name}`);
          if (secret) expect(ids).to.include(`Secret/${secret.secretName}`);
          for (const { key } of secret?.items ?? []) exists(key);
        }
        const files =
          spec?.volumes?.find(({ name }) => name === 'secrets')?.secret?.items?.map(({ path }) => path) ?? [];
        for (const { value, valueFrom } of container(objects, component).env ?? []) {
          if (valueFrom?.secretKeyRef) exists(valueFrom.secretKeyRef.key);
          if (value?.startsWith('/run/svc/secrets/')) expect(files).to.include(value.slice('/run/svc/secrets/'.length));
        }
      }
      for (const service of objects.filter(({ kind }) => kind === 'Service')) {
        const component = service.metadata.labels?.['app.kubernetes.io/component'] ?? '';
        const names = container(objects, component).ports?.map(({ name }) => name);
        for (const { targetPort } of specOf<V1ServiceSpec>(service)?.ports ?? []) expect(names).to.include(targetPort);
      }
    });
  });

  it('show a component no secret but its own', () => {
    const objects = objectsOf(INSTANCES['everything-set']);
    const keys = (component: string) => {
      const items = pods(objects)
        .get(component)
        ?.spec?.volumes?.flatMap(({ secret }) => (secret?.secretName === 'office-secrets' ? (secret.items ?? []) : []));
      const variables = container(objects, component).env?.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
      return new Set([...(items ?? []), ...(variables ?? [])].map(({ key }) => key.split('-')[0]));
    };
    expect([...keys('gate')]).to.have.members(['embed', 'editor']);
    expect([...keys('docbuilder')]).to.deep.equal(['docbuilder']);
    expect([...keys('editor')]).to.deep.equal(['editor']);
    expect([...keys('front')]).to.deep.equal([]);
    const outside = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'));
    for (const value of Object.values(decoded(objects, 'office-secrets')).filter((value) => value.length > 8)) {
      expect(outside).to.not.include(value);
    }
  });

  it('give every container requests, limits and all three probes', () => {
    always((options) => {
      // Resources of the spec are the spec's own business.
      if (options === INSTANCES['everything-set']) return;
      const objects = objectsOf(options);
      for (const component of COMPONENTS) {
        const { resources, startupProbe, livenessProbe, readinessProbe } = container(objects, component);
        for (const part of [resources?.requests, resources?.limits]) expect(part).to.have.all.keys('cpu', 'memory');
        expect(startupProbe && livenessProbe && readinessProbe, component).to.be.an('object');
      }
    });
  });

  it('leave pods alone when only the version of the controller is another one', () => {
    const templates = (version: string) => [...pods(objectsOf({ version }))];
    expect(templates('1.0.1+build.5')).to.deep.equal(templates('1.0.0'));
  });
});

/** Whose pods an object is about. */
function selectorOf(object: KubernetesObject): Parameters<typeof selects>[0] | undefined {
  switch (object.kind) {
    case 'Deployment':
    case 'PodDisruptionBudget':
      return specOf<V1DeploymentSpec>(object)?.selector;
    case 'NetworkPolicy':
      return specOf<V1NetworkPolicySpec>(object)?.podSelector;
    case 'Service':
      return specOf<V1ServiceSpec>(object)?.selector;
    default:
      return undefined;
  }
}
