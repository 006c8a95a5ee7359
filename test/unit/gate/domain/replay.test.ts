import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import { replayable } from '../../../../cmd/gate/domain/replay.ts';
import { createSlabs, type Slabs } from '../../../../cmd/gate/domain/slabs.ts';

describe('content that may be read again', () => {
  it('is the same each time, wherever the readers before gave up, and gives its memory back', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.array(fc.nat(12), { maxLength: 3 }), async (parts, givenUp) => {
        const slabs = createSlabs(4000, { slabBytes: 7, idleBytes: 70 });
        const replay = replayable(Readable.from(parts.map((part) => Buffer.from(part))), slabs, 1000);
        for (const after of givenUp) {
          const reader = replay.open().iterator({ destroyOnReturn: false });
          for (let n = 0; n < after; n += 1) await reader.next();
        }
        expect(replay.repeatable()).to.equal(true);
        expect(Buffer.compare(await buffer(replay.open()), Buffer.concat(parts))).to.equal(0);
        replay.end();
        expect(leftIn(slabs)).to.equal(571);
      }),
    );
  });

  it('is read once where it is more than the budget', async () => {
    const slabs = createSlabs(15, { slabBytes: 5 });
    const replay = replayable(Readable.from([Buffer.alloc(10, 'a'), Buffer.alloc(10, 'b')]), slabs, 1000);
    expect(String(await buffer(replay.open()))).to.equal('aaaaaaaaaabbbbbbbbbb');
    expect([replay.repeatable(), leftIn(slabs)]).to.deep.equal([false, 3]);
    replay.end();
  });

  it('uses its memory again, and not while somebody else has it', async () => {
    const slabs = createSlabs(100, { slabBytes: 5, idleBytes: 10 });
    const contents = (letter: string) => replayable(Readable.from([Buffer.alloc(12, letter)]), slabs, 1000);
    const [one, other] = [contents('a'), contents('b')];
    const [first, second] = [one.open(), other.open()];
    expect([String(await buffer(first)), String(await buffer(second))]).to.deep.equal(['aaaaaaaaaaaa', 'bbbbbbbbbbbb']);
    one.end();
    const third = contents('c');
    expect(String(await buffer(third.open()))).to.equal('cccccccccccc');
    expect(String(await buffer(other.open()))).to.equal('bbbbbbbbbbbb');
    other.end();
    third.end();
    const [ready, again, fresh] = [slabs.take(), slabs.take(), slabs.take()];
    expect([ready, again].map(String)).to.deep.equal(['bbbbb', 'bbbbb']);
    expect(fresh).to.not.equal(ready);
  });

  it('frees what it has read at once, unless others have a part of the same memory', async () => {
    const whole = Buffer.alloc(10, 'a');
    const part = Buffer.alloc(20, 'b').subarray(0, 10);
    const later = Buffer.alloc(20, 'c').subarray(10);
    const replay = replayable(Readable.from([whole, part, later]), createSlabs(100), 1000);
    expect(String(await buffer(replay.open()))).to.equal('aaaaaaaaaabbbbbbbbbbcccccccccc');
    expect([whole, part, later].map(({ length }) => length)).to.deep.equal([0, 10, 10]);
    replay.end();
  });

  it('does not stall while nobody reads', async () => {
    const replay = replayable(Readable.from([Buffer.from('a'), Buffer.from('b')]), createSlabs(100), 20);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(String(await buffer(replay.open()))).to.equal('ab');
    replay.end();
  });
});

/** How many more could be kept. */
function leftIn(slabs: Slabs): number {
  let left = 0;
  while (slabs.keep()) left += 1;
  slabs.release(left);
  return left;
}
