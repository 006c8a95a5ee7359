import { createHash, randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { createLateHash } from '../../../../cmd/gate/store/late-hash.ts';

const sha256 = (chunks: readonly Uint8Array[]): string =>
  createHash('sha256').update(Buffer.concat(chunks)).digest('hex');

describe('a hash that waits', () => {
  it('is that of all chunks in their order, whether they came at once, slowly, or more than may wait', async () => {
    const chunks = [
      ...Array.from({ length: 3000 }, (_, index) => randomBytes(index % 7)),
      ...Array.from({ length: 300 }, () => randomBytes(65_536)),
      randomBytes(1_000_000),
    ];
    const hash = createLateHash();
    for (const [index, chunk] of chunks.entries()) {
      hash.add(chunk);
      for (let turns = index % 50 === 0 ? 5 : 0; turns > 0; turns -= 1) await turn();
    }
    expect(await hash.digest()).to.equal(sha256(chunks));
  });

  it('of nothing is that of no bytes', async () => {
    expect(await createLateHash().digest()).to.equal(sha256([]));
  });

  it('has its turns between others, also at its end', async () => {
    const hash = createLateHash();
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
