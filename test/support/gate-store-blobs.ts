import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Blobs, Incoming } from '../../cmd/gate/domain/ports.ts';
import type { Uploaded } from '../../cmd/gate/domain/uploads.ts';
import { failure } from './failure.ts';
import { randomBlob } from './gate-records.ts';
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

/** Tests what every implementation of `Incoming` and `Blobs` promises; each test gets a place of its own. */
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
    const put = async (bytes: Uint8Array): Promise<Uploaded> => {
      const [file, blob] = [await receive(inPieces(bytes)), randomBlob()];
      await store.blobs.put(file, blob);
      return { ...file, blob };
    };
    const read = (...args: Parameters<Blobs['read']>): Promise<Buffer> => buffer(store.blobs.read(...args));

    for (const size of [0, 1, 65_536, 9_000_001]) {
      it(`keep ${size} bytes under their name, also after a restart`, async () => {
        const bytes = randomBytes(size);
        const stored = await put(bytes);
        expect(stored).to.include({ sha256: sha256(bytes), size });
        store = await place.open();
        expect(bytes.equals(await read(stored))).to.equal(true);
        expect(await place.files()).to.deep.equal([stored.blob]);
        if (store.blobs.list) expect(await store.blobs.list()).to.deep.equal([stored.blob]);
      });
    }

    it('keep bytes that come one by one', async () => {
      const bytes = randomBytes(5000);
      const file = await receive(Readable.from(Array.from(bytes, (byte) => Buffer.of(byte))));
      const blob = randomBlob();
      await store.blobs.put(file, blob);
      expect(bytes.equals(await read({ ...file, blob }))).to.equal(true);
    });

    it('read a range, both ends included', async () => {
      const stored = await put(Buffer.from('0123456789'));
      for (const [start, end] of [[0, 0] as const, [2, 5] as const, [9, 9] as const, [5, 20] as const])
        expect((await read(stored, { start, end })).toString()).to.equal('0123456789'.slice(start, end + 1));
    });

    it('keep identical bytes under each of their names', async () => {
      const bytes = randomBytes(300_000);
      const stored = await Promise.all([put(bytes), put(bytes), put(bytes)]);
      expect(await place.files()).to.have.members(stored.map(({ blob }) => blob));
      for (let time = 0; time < 2; time += 1) await store.blobs.remove(stored[0].blob);
      expect(await failure(read(stored[0]))).to.include({ code: 'ENOENT' });
      for (const other of stored.slice(1)) expect(bytes.equals(await read(other))).to.equal(true);
    });

    it('are not there before they are put, can be put twice, and a received file can be discarded', async () => {
      const bytes = randomBytes(1000);
      const [file, other] = [await receive(inPieces(bytes)), await receive(inPieces(bytes))];
      const blob = randomBlob();
      expect(await failure(read({ ...file, blob }))).to.include({ code: 'ENOENT' });
      await store.blobs.put(file, blob);
      await store.blobs.put(file, blob);
      await store.incoming.discard(file);
      await store.incoming.discard(other);
      expect(await place.files()).to.deep.equal([blob]);
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
        const blob = randomBlob();
        await store.blobs.put(file, blob);
        expect(bytes.equals(await read({ ...file, blob }))).to.equal(true);
      }
    });

    it('are read to their end by who had begun when they were removed', async () => {
      const bytes = randomBytes(3 * MIB);
      const stored = await put(bytes);
      const stream = store.blobs.read(stored);
      await once(stream, 'readable');
      await store.blobs.remove(stored.blob);
      expect(bytes.equals(await buffer(stream))).to.equal(true);
    });

    it('refuse what is no name of theirs', async () => {
      const file = await receive(inPieces(randomBytes(10)));
      for (const blob of [
        '',
        '../gate.db',
        `${'a'.repeat(31)}/`,
        'A'.repeat(32),
        'a'.repeat(33),
        'a'.repeat(64),
        `${'a'.repeat(32)}\n`,
      ]) {
        const { read: readBlob, remove, put: putBlob } = store.blobs;
        for (const use of [() => readBlob({ ...file, blob }), () => remove(blob), () => putBlob(file, blob)])
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
