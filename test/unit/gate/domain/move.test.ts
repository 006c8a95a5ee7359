import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { copyKept } from '../../../../cmd/gate/domain/move.ts';
import { failure } from '../../../support/failure.ts';
import { savesBench } from '../../../support/gate-saves.ts';

describe('a move to another place', () => {
  it('leaves nothing open of bytes that the other place cannot take', async () => {
    const [from, to] = [await savesBench(), await savesBench()];
    await from.open();
    const read: Readable[] = [];
    const blobs: typeof from.blobs = {
      ...from.blobs,
      read: (...args) => {
        const stream = from.blobs.read(...args);
        read.push(stream);
        return stream;
      },
    };
    const receive = async () => {
      throw new Error('the disk is full');
    };
    const full = { ...to, incoming: { ...to.incoming, receive } };
    expect(await failure(copyKept({ ...from, blobs }, full))).to.include({ message: 'the disk is full' });
    expect(read.map(({ destroyed }) => destroyed)).to.deep.equal([true]);
    await from.stop();
    await to.stop();
  });
});
