import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { load } from 'js-yaml';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { type LicenseState, NO_LICENSE } from '../../../../src/common/crypto/license.ts';
import { INSTANCES, SHARED } from './instances.ts';
import { container, decoded, getId, makeObjects, pods } from './objects.ts';
import { enterprise, type Options, type PartialSpec } from './situation.ts';

/** All that a licence can be. */
const licenses: fc.Arbitrary<LicenseState> = fc.oneof(
  fc.constant(NO_LICENSE),
  fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.constantFrom('valid', 'grace', 'expired'))
    .map(([conns, state]) => enterprise(conns, state)),
);
/** Values that the Secret of the licence may hold. */
const licenseFiles = fc.record(
  { token: fc.base64String(), removedAt: fc.constant('2026-11-21T12:00:00.000Z') },
  { requiredKeys: [] },
);
const workers = fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 32 }));
/** Specs that differ in what decides which objects there are. */
const specs: fc.Arbitrary<PartialSpec> = fc
  .record({
    docbuilder: fc.record(
      {
        workers,
        workerMemoryMb: fc.integer({ min: 512, max: 65_536 }),
        replicas: fc.integer({ min: 1, max: 32 }),
        autoscaling: fc.constant({ minReplicas: 2 }),
      },
      { requiredKeys: [] },
    ),
    ingress: fc.constantFrom(
      {},
      { gating: 'Front' },
      { gating: 'None' },
      { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'public' } },
    ),
    tls: fc.constantFrom({}, { secretName: 'office-tls' }, { mode: 'Disabled' }),
    devMode: fc.boolean(),
    storage: fc.constantFrom({}, SHARED, { ...SHARED, editor: { ephemeral: true } }),
    front: fc.record({ replicas: fc.integer({ min: 1, max: 32 }) }, { requiredKeys: [] }),
  })
  .map((spec) => ({ host: 'office.example', ...spec }));
const given = fc.record(
  {
    values: fc.dictionary(
      fc.constantFrom('docbuilder-jwt-secret', 'embed-jwt-secret-previous', 'embed-link-secret'),
      fc.string(),
    ),
    allowUnsigned: fc.boolean(),
  },
  { requiredKeys: [] },
);
/** Any situation of an instance `office`. */
const situations: fc.Arbitrary<Options> = fc.record(
  { spec: specs, license: licenses, licenseFiles, given },
  { requiredKeys: ['spec'] },
);

/** As long as the API lets it be. */
const LONGEST = `${'o'.repeat(39)}9`;

const SELECTING = ['Service', 'NetworkPolicy', 'PodDisruptionBudget'];
type Labels = Record<string, string>;

const EXAMPLES = new URL('../../../../docs/examples/', import.meta.url);
/** Those of docs/examples, and those of the golden files. */
const NAMED: readonly Options[] = [
  ...readdirSync(EXAMPLES).map((name): Options => {
    const { spec } = load(readFileSync(new URL(name, EXAMPLES), 'utf8')) as { spec: PartialSpec };
    return { spec };
  }),
  ...Object.values(INSTANCES),
];

/** Runs on any instance, and on those with a name. */
function always(check: (options: Options) => void): void {
  fc.assert(
    fc.property(situations, (options) => check(options)),
    { numRuns: 60, examples: NAMED.map((options) => [options]) },
  );
}

describe('objects of any instance', () => {
  it('have names of their own, of at most 63 characters, in the namespace of the instance that owns them', () => {
    always((options) => {
      const objects = makeObjects({ ...options, name: LONGEST });
      expect(new Set(objects.map(getId)).size).to.equal(objects.length);
      for (const { kind, metadata } of objects) {
        expect(metadata.name, metadata.name).to.match(/^[a-z][a-z0-9-]*$/);
        expect(metadata.name.length).to.be.at.most(63);
        expect(metadata.namespace).to.equal('documents');
        const retained = !options.spec?.storage || !('onDelete' in options.spec.storage);
        if (kind === 'PersistentVolumeClaim' && retained) {
          expect(metadata.ownerReferences).to.deep.equal([]);
          // By this label Argo CD may take what has no owner for a part of an application, and prune it.
          expect(metadata.labels).to.not.have.property('app.kubernetes.io/instance');
        } else {
          expect(metadata.ownerReferences).to.have.length(1);
          expect(metadata.ownerReferences?.[0]).to.include({ kind: 'SvcInstance', controller: true, name: LONGEST });
        }
        for (const value of Object.values(metadata.labels ?? {})) expect(value.length).to.be.at.most(63);
      }
    });
  });

  it('select pods of their own instance, and none of another whose name begins with the name of this one', () => {
    const getLabels = (options: Options) =>
      [...pods(makeObjects(options)).values()].map(({ metadata }) => metadata?.labels);
    const takes = (selector: Labels, labels: Labels = {}) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value);
    always((options) => {
      const [own, others] = [getLabels(options), getLabels({ ...options, name: 'office-gate' })];
      for (const object of makeObjects(options).filter(({ kind }) => SELECTING.includes(kind))) {
        const { spec } = object as KubernetesObject & { spec: Record<string, Labels & { matchLabels?: Labels }> };
        const { podSelector = {}, selector = podSelector } = spec;
        const takesOne = (all: typeof own) => all.some((labels) => takes(selector.matchLabels ?? selector, labels));
        expect([takesOne(own), takesOne(others)], getId(object)).to.deep.equal([true, false]);
      }
    });
  });

  it('name only claims, Secrets and keys that there are', () => {
    always((options) => {
      const objects = makeObjects(options);
      const ids = new Set(objects.map(getId));
      const secrets = decoded(objects, 'office-secrets');
      const exists = (key: string | undefined) => expect(secrets, key).to.have.property(key ?? '');
      for (const [component, { spec }] of pods(objects)) {
        for (const { persistentVolumeClaim: claim, secret, configMap } of spec?.volumes ?? []) {
          if (claim) expect(ids).to.include(`PersistentVolumeClaim/${claim.claimName}`);
          // The authorities are somebody else's.
          if (configMap && configMap.name !== 'authorities') expect(ids).to.include(`ConfigMap/${configMap.name}`);
          if (secret) expect(ids).to.include(`Secret/${secret.secretName}`);
          for (const { key } of secret?.items ?? []) exists(key);
        }
        const items = spec?.volumes?.find(({ name }) => name === 'secrets')?.secret?.items ?? [];
        for (const { value, valueFrom } of container(objects, component).env ?? []) {
          if (valueFrom?.secretKeyRef) exists(valueFrom.secretKeyRef.key);
          const [, file] = /^\/run\/svc\/secrets\/(.*)/.exec(value ?? '') ?? [];
          if (file) expect(items.map(({ path }) => path)).to.include(file);
        }
      }
    });
  });

  it('give a pod of gate and DocBuilder time to start after the end of one that still has their folder', () => {
    always((options) => {
      const objects = makeObjects(options);
      if (options.spec?.storage && 's3' in options.spec.storage) return;
      for (const component of ['gate', 'docbuilder']) {
        const { periodSeconds = 0, failureThreshold = 0 } = container(objects, component).startupProbe ?? {};
        const before = pods(objects).get(component)?.spec?.terminationGracePeriodSeconds ?? Number.NaN;
        expect(periodSeconds * failureThreshold, component).to.be.at.least(before + 60);
      }
    });
  });

  it('show a component no secret but its own', () => {
    const objects = makeObjects(INSTANCES['everything-set']);
    const keys = (component: string) => {
      const items = pods(objects)
        .get(component)
        ?.spec?.volumes?.flatMap(({ secret }) => (secret?.secretName === 'office-secrets' ? (secret.items ?? []) : []));
      const variables = container(objects, component).env?.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
      return [...new Set([...(items ?? []), ...(variables ?? [])].map(({ key }) => key.split('-')[0]))].sort();
    };
    expect(['gate', 'docbuilder', 'editor', 'front'].map(keys)).to.deep.equal([
      ['editor', 'embed'],
      ['docbuilder'],
      ['editor'],
      [],
    ]);
    const outside = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'));
    for (const value of Object.values(decoded(objects, 'office-secrets')).filter((value) => value.length > 8)) {
      expect(outside).to.not.include(value);
    }
  });
});
