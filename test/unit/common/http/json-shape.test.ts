import { expect } from 'chai';
import { JsonShape } from '../../../../src/common/http/json-shape.ts';

describe('the shape of JSON', () => {
  it('is what stands outside of strings, wherever the pieces are cut', () => {
    for (const [text, values, deepest] of [
      ['{"a": [1, 2, {}], "b": "x"}', 6, 3],
      ['[[], [], [{}]]', 7, 3],
      ['"[,{"', 0, 0],
      [String.raw`["\"[,{", "\\", ","]`, 3, 1],
      [String.raw`["\\\"[", "Xin chào, các bạn"]`, 2, 1],
    ] as const) {
      for (const size of [1, 2, 3, 1000]) {
        const shape = new JsonShape();
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += size) shape.add(bytes.subarray(at, at + size));
        expect(shape, `${text} by ${size}`).to.include({ values, deepest });
      }
    }
  });

  it('counts the different names of members, not strings, wherever the pieces are cut', () => {
    for (const [text, names] of [
      ['{"a": 1, "b": {"a": 2, "c" : "d:"}}', 3],
      [String.raw`[{"\\": 1}, {"\"": 2}, {":": 3}, "x", {"x": "y"}]`, 4],
      ['["a", "b"]', 0],
    ] as const) {
      for (const size of [1, 3, 1000]) {
        const shape = new JsonShape();
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += size) shape.add(bytes.subarray(at, at + size));
        expect(shape.names, `${text} by ${size}`).to.equal(names);
      }
    }
    const shape = new JsonShape();
    for (let count = 0; count < 100_000; count += 1) shape.add(Buffer.from(`"k${count}":${count},`));
    expect(shape.names).to.be.within(90_000, 100_000);
  });
});
