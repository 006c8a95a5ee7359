import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import { replayable } from '../../../../cmd/gate/domain/replay.ts';

describe('content that may be read again', () => {
  it('is the same each time, wherever the readers before gave up, and gives its budget back', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.array(fc.nat(12), { maxLength: 3 }), async (parts, givenUp) => {
        const budget = { left: 10_000 };
        const replay = replayable(Readable.from(parts.map((part) => Buffer.from(part))), budget, 1000);
        for (const after of givenUp) {
          const reader = replay.open().iterator({ destroyOnReturn: false });
          for (let n = 0; n < after; n += 1) await reader.next();
        }
        expect(replay.repeatable()).to.equal(true);
        expect(Buffer.compare(await buffer(replay.open()), Buffer.concat(parts))).to.equal(0);
        replay.end();
        expect(budget.left).to.equal(10_000);
      }),
    );
  });

  it('is read once where it is more than the budget', async () => {
    const budget = { left: 15 };
    const replay = replayable(Readable.from([Buffer.alloc(10, 'a'), Buffer.alloc(10, 'b')]), budget, 1000);
    expect(String(await buffer(replay.open()))).to.equal('aaaaaaaaaabbbbbbbbbb');
    expect([replay.repeatable(), budget.left]).to.deep.equal([false, 15]);
    replay.end();
  });

  it('does not stall while nobody reads', async () => {
    const replay = replayable(Readable.from([Buffer.from('a'), Buffer.from('b')]), { left: 100 }, 20);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(String(await buffer(replay.open()))).to.equal('ab');
    replay.end();
  });
});
