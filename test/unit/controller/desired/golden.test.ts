import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { dump, loadAll } from 'js-yaml';
import { INSTANCES } from './instances.ts';
import { idOf, objectsOf } from './objects.ts';

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
const OF_STORE = /^spec[.](storage[.](postgres|s3)|(gate|docbuilder)[.](replicas|autoscaling))/;

const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

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
    const file = new URL(`golden/${name}.yaml`, import.meta.url);
    const objects = objectsOf(options);
    if (UPDATE)
      writeFileSync(file, objects.map((object) => `---\n${dump(object, { noRefs: true, lineWidth: 120 })}`).join(''));
    const golden = (loadAll(readFileSync(file, 'utf8')) as typeof objects).filter((object) => object !== null);

    it(`are those of golden/${name}.yaml, in the same order (UPDATE_GOLDEN=1 writes it)`, () => {
      expect(objects.map(idOf)).to.deep.equal(golden.map(idOf));
    });

    for (const [index, object] of objects.entries()) {
      it(`${name}: ${idOf(object)} is as written down`, () => {
        // As JSON, in which undefined members are none.
        expect(JSON.parse(JSON.stringify(object))).to.deep.equal(golden[index]);
      });
    }
  }
});
