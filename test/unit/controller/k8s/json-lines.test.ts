import { expect } from 'chai';
import fc from 'fast-check';
import { BrokenLines, jsonLines } from '../../../../cmd/controller/k8s/json-lines.ts';

describe('k8s: lines of a watch', () => {
  it('are the same values however the network cuts them into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.array(fc.nat(40)), async (values, cuts) => {
        const text = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
        const expected = JSON.parse(JSON.stringify(values));
        expect(await read(pieces(text, cuts))).to.deep.equal(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('come out before the next one is begun', async () => {
    const lines = jsonLines(
      (async function* () {
        yield Buffer.from('1\n');
        throw new Error('broke');
      })(),
    );
    expect(await lines.next()).to.deep.equal({ value: 1, done: false });
  });

  for (const [what, text] of [
    ['cut off at the end', '{"a":1}\n{"b'],
    ['no JSON', '<html>\n'],
    ['too long', `"${'x'.repeat(2000)}"\n`],
  ] as const) {
    it(`end with an error that quotes nothing when one is ${what}`, async () => {
      const failure = await read(pieces(Buffer.from(text), [300, 300, 300, 300, 300])).catch((error) => error);
      expect(failure).to.be.instanceOf(BrokenLines);
      expect(failure.message).not.to.contain(text.trim().slice(0, 5));
    });
  }
});

async function read(chunks: AsyncIterable<Buffer>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of jsonLines(chunks, 1000)) values.push(value);
  return values;
}

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0;
  for (const size of cuts) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  // No piece, and so no line, is longer than the limit unless it is meant to be.
  for (; start < bytes.length; start += 500) yield bytes.subarray(start, start + 500);
}
