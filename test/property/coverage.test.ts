import { Ajv } from 'ajv';
import { expect } from 'chai';
import { type Schema, schemas } from '../../src/common/schema.ts';
import { SCRIPTS } from './support/scripts.ts';

describe('the scripts of test/property/scripts', () => {
  it('say everything that the language can say', () => {
    const declared = new Set<string>();
    const seen = new Set<string>();
    /** Marks every property and enumeration below a node, so that validating a value tells which ones it has. */
    const mark = (node: unknown, path: string, isProperty: boolean): void => {
      if (typeof node !== 'object' || node === null) return;
      const { enum: values = [] } = node as { enum?: unknown[] };
      for (const value of values) declared.add(`${path}=${value}`);
      if (isProperty) declared.add(path);
      for (const [key, child] of Object.entries(node)) {
        mark(child, `${path}/${key}`, path.endsWith('/properties') && !isProperty);
      }
      if (isProperty || values.length > 0) Object.assign(node, { place: path });
    };
    const schema = structuredClone(schemas.get('script.json')) as Schema;
    mark(schema, '', false);
    const ajv = new Ajv({ discriminator: true, strict: false, validateFormats: false });
    ajv.addKeyword({
      keyword: 'place',
      validate: (path: string, value: unknown) => seen.add(path).add(`${path}=${value}`).size > 0,
    });
    const validate = ajv.compile(schema);
    for (const [name, script] of SCRIPTS) expect(validate(script), name).to.equal(true);
    expect([...declared].filter((place) => !seen.has(place))).to.deep.equal([]);
    expect(declared.size).to.be.greaterThan(200);
  });
});
