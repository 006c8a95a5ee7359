import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Blobs } from '../../cmd/gate/domain/ports.ts';
import type { Place } from './gate-store.ts';
import { until } from './until.ts';

const MIB = 1_048_576;

/** Somewhere that keeps blobs, and can tell all that is there: half written ones too. */
export interface BlobsPlace extends Place<Blobs> {
  files(): Promise<string[]>;
}

/** What every implementation of `Blobs` promises; each test gets a place of its own. */
export function blobsContract(name: string, make: () => Promise<BlobsPlace>): void {
  describe(`blobs in ${name}`, () => {
    let place: BlobsPlace;
    let blobs: Blobs;

    beforeEach(async () => {
      place = await make();
      blobs = await place.open();
    });
    afterEach(() => place.dispose());

    const write = (bytes: Uint8Array, maxBytes = 10 * MIB): ReturnType<Blobs['write']> =>
      blobs.write(inPieces(bytes), maxBytes);
    const read = (...args: Parameters<Blobs['read']>): Promise<Buffer> => buffer(blobs.read(...args));

    for (const size of [0, 1, 65_536, 3_000_001]) {
      it(`keep ${size} bytes under their SHA-256, also after a restart`, async () => {
        const bytes = randomBytes(size);
        const written = await write(bytes);
        expect(written).to.deep.equal({ sha256: sha256(bytes), size });
        blobs = await place.open();
        expect(bytes.equals(await read(written.sha256))).to.equal(true);
        expect(await blobs.list()).to.deep.equal([written.sha256]);
      });
    }

    it('keep bytes that come one by one', async () => {
      const bytes = randomBytes(5000);
      const { sha256 } = await blobs.write(Readable.from(Array.from(bytes, (byte) => Buffer.of(byte))), 5000);
      expect(bytes.equals(await read(sha256))).to.equal(true);
    });

    it('read a range, both ends included', async () => {
      const { sha256 } = await write(Buffer.from('0123456789'));
      for (const [start, end] of [
        [0, 0],
        [2, 5],
        [9, 9],
        [0, 9],
        [5, 20],
      ] as const) {
        expect((await read(sha256, { start, end })).toString()).to.equal('0123456789'.slice(start, end + 1));
      }
    });

    it('give the first bytes, as many as there are', async () => {
      const { sha256 } = await write(Buffer.from('0123456789'));
      for (const bytes of [0, 4, 10, 4096]) {
        expect((await blobs.head(sha256, bytes)).toString()).to.equal('0123456789'.slice(0, bytes));
      }
    });

    it('keep identical bytes once, also when many bring them at the same time', async () => {
      const bytes = randomBytes(300_000);
      const written = await Promise.all(Array.from({ length: 8 }, () => write(bytes)));
      written.push(await write(bytes));
      expect(new Set(written.map(({ sha256 }) => sha256))).to.deep.equal(new Set([sha256(bytes)]));
      expect(await place.files()).to.have.length(1);
      expect(bytes.equals(await read(sha256(bytes)))).to.equal(true);
    });

    it('take exactly maxBytes; one more is file_too_large, told before the rest was read, and leaves nothing', async () => {
      await write(new Uint8Array(MIB), MIB);
      const source = inPieces(new Uint8Array(64 * MIB));
      const error = await failure(blobs.write(source, MIB));
      expect(error).to.deep.include({ code: 'file_too_large', detail: { limit_mb: 1 } });
      expect(source.readableEnded || source.destroyed, 'the source is left as it is').to.equal(false);
      source.destroy();
      expect(await place.files()).to.have.length(1);
    });

    it('leave nothing of a source that fails, and say what it said', async () => {
      const broken = new Error('on purpose');
      const source = Readable.from(
        (async function* () {
          yield randomBytes(100_000);
          throw broken;
        })(),
      );
      expect(await failure(blobs.write(source, MIB))).to.equal(broken);
      expect(await place.files()).to.deep.equal([]);
    });

    it('leave nothing of a source that is cut off half way', async () => {
      const source = new PassThrough();
      const writing = failure(blobs.write(source, MIB));
      source.write(randomBytes(100_000));
      await until('the bytes arrive', async () => (await place.files()).length === 1 || undefined);
      source.destroy();
      expect(await writing).to.be.instanceOf(Error);
      expect(await place.files()).to.deep.equal([]);
    });

    it('list nothing that is still arriving', async () => {
      const source = new PassThrough();
      const writing = blobs.write(source, MIB);
      source.write('half');
      await until('the bytes arrive', async () => (await place.files()).length === 1 || undefined);
      expect(await blobs.list()).to.deep.equal([]);
      source.end();
      const written = await writing;
      expect(await blobs.list()).to.deep.equal([written.sha256]);
    });

    it('tell whose hash it is before they are in their place', async () => {
      const bytes = randomBytes(1000);
      const told: [hash: string, listed: string[]][] = [];
      const written = await blobs.write(inPieces(bytes), MIB, async (hash) => {
        told.push([hash, await blobs.list()]);
      });
      expect(told).to.deep.equal([[written.sha256, []]]);
      expect(await blobs.list()).to.deep.equal([written.sha256]);
    });

    it('are gone once removed, and can be brought again', async () => {
      const bytes = randomBytes(1000);
      await write(bytes);
      await blobs.remove(sha256(bytes));
      await blobs.remove(sha256(bytes));
      expect(await place.files()).to.deep.equal([]);
      expect(await failure(read(sha256(bytes)))).to.include({ code: 'ENOENT' });
      expect(await failure(blobs.head(sha256(bytes), 0))).to.include({ code: 'ENOENT' });
      await write(bytes);
      expect(bytes.equals(await read(sha256(bytes)))).to.equal(true);
    });

    it('are read to their end by who had begun when they were removed', async () => {
      const bytes = randomBytes(3 * MIB);
      await write(bytes);
      const stream = blobs.read(sha256(bytes));
      await once(stream, 'readable');
      await blobs.remove(sha256(bytes));
      expect(bytes.equals(await buffer(stream))).to.equal(true);
    });

    it('refuse what is no hash', async () => {
      for (const name of ['', '../gate.db', `${'a'.repeat(63)}/`, 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
        for (const use of [() => blobs.read(name), () => blobs.head(name, 1), () => blobs.remove(name)]) {
          expect(await failure((async () => use())())).to.be.instanceOf(TypeError);
        }
      }
    });
  });
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** As it comes from a socket. */
function inPieces(bytes: Uint8Array): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    })(),
    { objectMode: false },
  );
}

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error) => error,
  );
}
