import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Blobs, Incoming, ReceivedFile } from '../../cmd/gate/domain/ports.ts';
import { failure } from './failure.ts';
import type { Place } from './gate-store.ts';
import { until } from './until.ts';

const MIB = 1_048_576;

export interface BlobStore {
  incoming: Incoming;
  blobs: Blobs;
}

/** Somewhere that keeps blobs. `files` lists all files that are there: half written ones too. */
export interface BlobsPlace extends Place<BlobStore> {
  files(): Promise<string[]>;
}

/** What every implementation of `Incoming` and `Blobs` promises; each test gets a place of its own. */
export function blobsContract(name: string, make: () => Promise<BlobsPlace>): void {
  describe(`blobs in ${name}`, () => {
    let place: BlobsPlace;
    let store: BlobStore;

    beforeEach(async () => {
      place = await make();
      store = await place.open();
    });
    afterEach(() => place.dispose());

    const receive = (content: Readable, maxBytes = 10 * MIB) => store.incoming.receive(content, { maxBytes });
    const put = async (bytes: Uint8Array): Promise<ReceivedFile> => {
      const file = await receive(inPieces(bytes));
      await store.blobs.put(file);
      return file;
    };
    const read = (...args: Parameters<Blobs['read']>): Promise<Buffer> => buffer(store.blobs.read(...args));

    for (const size of [0, 1, 65_536, 9_000_001]) {
      it(`keep ${size} bytes under their SHA-256, also after a restart`, async () => {
        const bytes = randomBytes(size);
        expect(await put(bytes)).to.include({ sha256: sha256(bytes), size });
        store = await place.open();
        expect(bytes.equals(await read(sha256(bytes)))).to.equal(true);
        expect(await store.blobs.list()).to.deep.equal([sha256(bytes)]);
      });
    }

    it('keep bytes that come one by one', async () => {
      const bytes = randomBytes(5000);
      const file = await receive(Readable.from(Array.from(bytes, (byte) => Buffer.of(byte))));
      await store.blobs.put(file);
      expect(bytes.equals(await read(sha256(bytes)))).to.equal(true);
    });

    it('read a range, both ends included', async () => {
      const { sha256: hash } = await put(Buffer.from('0123456789'));
      for (const [start, end] of [[0, 0] as const, [2, 5] as const, [9, 9] as const, [5, 20] as const])
        expect((await read(hash, { start, end })).toString()).to.equal('0123456789'.slice(start, end + 1));
    });

    it('keep identical bytes once, also when many bring them at the same time', async () => {
      const bytes = randomBytes(300_000);
      await Promise.all(Array.from({ length: 8 }, () => put(bytes)));
      await put(bytes);
      expect(await place.files()).to.deep.equal([sha256(bytes)]);
      expect(bytes.equals(await read(sha256(bytes)))).to.equal(true);
    });

    it('are not there before they are put, can be put twice, and a received file can be discarded', async () => {
      const bytes = randomBytes(1000);
      const [file, other] = [await receive(inPieces(bytes)), await receive(inPieces(bytes))];
      expect(await store.blobs.list()).to.deep.equal([]);
      await store.blobs.put(file);
      await store.blobs.put(file);
      await store.incoming.discard(file);
      await store.incoming.discard(other);
      expect(await place.files()).to.deep.equal([file.sha256]);
    });

    it('take exactly maxBytes; one more is file_too_large, told before the rest was read, and leaves nothing', async () => {
      await store.incoming.discard(await receive(inPieces(new Uint8Array(MIB)), MIB));
      const source = inPieces(new Uint8Array(64 * MIB));
      expect(await failure(receive(source, MIB))).to.deep.include({
        code: 'file_too_large',
        detail: { limit_mb: 1 },
      });
      expect(source.readableEnded || source.destroyed, 'the source is left as it is').to.equal(false);
      source.destroy();
      expect(await failure(receive(inPieces(new Uint8Array(MIB + 1)), MIB))).to.include({ code: 'file_too_large' });
      expect(await place.files()).to.deep.equal([]);
    });

    it('leave nothing of a source that fails, is cut off half way, or stalls', async () => {
      for (const [status, idleMs, end] of [
        [400, 5_000, (source: PassThrough) => source.destroy(new Error('on purpose'))],
        [400, 5_000, (source: PassThrough) => source.destroy()],
        [408, 50, () => undefined],
      ] as const) {
        const source = new PassThrough();
        const receiving = failure(store.incoming.receive(source, { maxBytes: MIB, idleMs }));
        source.write(randomBytes(100_000));
        if (status === 400)
          await until('the bytes arrive', async () => (await place.files()).length === 1 || undefined);
        end(source);
        expect(await receiving).to.include({ code: 'bad_request', status });
        source.destroy();
        expect(await place.files()).to.deep.equal([]);
      }
    });

    it('try a write again as the caller decides, and are whole wherever it failed', async () => {
      const bytes = randomBytes(3 * MIB);
      for (const failing of [1, 2, 5]) {
        let writes = 0;
        const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> =>
          ++writes === failing ? attempt(work) : work();
        const file = await store.incoming.receive(inPieces(bytes), { maxBytes: 10 * MIB, attempt });
        expect(file.sha256).to.equal(sha256(bytes));
        await store.blobs.put(file);
        expect(bytes.equals(await read(file.sha256))).to.equal(true);
      }
    });

    it('are gone once removed, and can be brought again', async () => {
      const bytes = randomBytes(1000);
      await put(bytes);
      await store.blobs.remove(sha256(bytes));
      await store.blobs.remove(sha256(bytes));
      expect(await place.files()).to.deep.equal([]);
      expect(await failure(read(sha256(bytes)))).to.include({ code: 'ENOENT' });
      await put(bytes);
      expect(bytes.equals(await read(sha256(bytes)))).to.equal(true);
    });

    it('are read to their end by who had begun when they were removed', async () => {
      const bytes = randomBytes(3 * MIB);
      await put(bytes);
      const stream = store.blobs.read(sha256(bytes));
      await once(stream, 'readable');
      await store.blobs.remove(sha256(bytes));
      expect(bytes.equals(await buffer(stream))).to.equal(true);
    });

    it('refuse what is no hash', async () => {
      for (const name of ['', '../gate.db', `${'a'.repeat(63)}/`, 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
        for (const use of [() => store.blobs.read(name), () => store.blobs.remove(name)])
          expect(await failure((async () => use())())).to.be.instanceOf(TypeError);
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
