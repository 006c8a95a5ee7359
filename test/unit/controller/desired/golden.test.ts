import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { dump, loadAll } from 'js-yaml';
import { INSTANCES } from './instances.ts';
import { idOf, objectsOf } from './objects.ts';

const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

describe('objects of an instance', () => {
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
