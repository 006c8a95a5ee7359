import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { expectGolden } from '../../../support/golden.ts';
import { INSTANCES } from './instances.ts';
import { objectsOf } from './objects.ts';

const SCHEMA = new URL('../../../../schemas/svcinstance-spec.json', import.meta.url);

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
}

/** Members that the schema has and `value` does not set, as paths. */
function unset(schema: Schema, value: unknown, definitions: Record<string, Schema>, path = 'spec'): string[] {
  if (value === undefined) return [path];
  const { properties = {} } = definitions[schema.$ref?.replace('#/definitions/', '') ?? ''] ?? schema;
  return Object.entries(properties).flatMap(([name, property]) =>
    unset(property, (value as Record<string, unknown>)[name], definitions, `${path}.${name}`),
  );
}

/** Fields that an instance with a shared store has, and no other. */
const OF_STORE = /^spec[.](storage[.](postgres|s3|editor[.]ephemeral)|(gate|docbuilder)[.](replicas|autoscaling))/;

describe('objects of an instance', () => {
  it('are seen of each field of the spec: everything-set sets it, those of the store shared', () => {
    const schema: Schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
    const missing = (name: string, isOfStore: boolean) =>
      unset(schema, INSTANCES[name]?.spec, schema.definitions ?? {}).filter(
        (path) => OF_STORE.test(path) === isOfStore && !path.includes('.affinity.'),
      );
    // An affinity is handed on as it is. These two are an Ingress's, and its edge is an HTTPRoute.
    expect(missing('everything-set', false)).to.deep.equal(['spec.tls.secretName', 'spec.ingress.className']);
    // It has keys, and so no role.
    expect(missing('shared', true)).to.deep.equal(['spec.storage.s3.serviceAccountAnnotations']);
  });

  for (const [name, options] of Object.entries(INSTANCES)) {
    it(`are those of golden/${name}.yaml, in the same order (UPDATE_GOLDEN=1 writes it)`, () => {
      expectGolden(new URL(`golden/${name}.yaml`, import.meta.url), objectsOf(options));
    });
  }
});
