import { createHash, randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { createLateHash, createLateRoom } from '../../../../cmd/gate/store/late-hash.ts';

const sha256 = (chunks: readonly Uint8Array[]): string =>
  createHash('sha256').update(Buffer.concat(chunks)).digest('hex');

describe('a hash that waits', () => {
  it('is that of all chunks in their order, whether they came at once, slowly, or more than may wait', async () => {
    const chunks = [
      ...Array.from({ length: 3000 }, (_, index) => randomBytes(index % 7)),
      ...Array.from({ length: 300 }, () => randomBytes(65_536)),
      randomBytes(1_000_000),
    ];
    const hash = createLateHash(createLateRoom());
    for (const [index, chunk] of chunks.entries()) {
      hash.add(chunk);
      for (let turns = index % 50 === 0 ? 5 : 0; turns > 0; turns -= 1) await turn();
    }
    expect(await hash.digest()).to.equal(sha256(chunks));
  });

  it('of nothing is that of no bytes', async () => {
    expect(await createLateHash(createLateRoom()).digest()).to.equal(sha256([]));
  });

  it('shares its room with all others: what has none is hashed at once', async () => {
    const room = createLateRoom(1_000_000);
    const hashes = Array.from({ length: 20 }, () => createLateHash(room));
    const chunks = Array.from({ length: 10 }, () => randomBytes(65_536));
    const least = chunks.flatMap((chunk) =>
      hashes.map((hash) => {
        hash.add(chunk);
        return room.left;
      }),
    );
    expect(Math.min(...least)).to.be.within(0, 65_536);
    hashes.pop()?.drop();
    for (const hash of hashes) expect(await hash.digest()).to.equal(sha256(chunks));
    expect(room.left).to.equal(1_000_000);
  });

  it('has its turns between others, also at its end', async () => {
    const hash = createLateHash(createLateRoom());
    for (let count = 0; count < 100; count += 1) hash.add(Buffer.alloc(65_536));
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    await hash.digest();
    clearInterval(counting);
    expect(turns).to.be.greaterThan(1);
  });
});
