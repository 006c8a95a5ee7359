import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Blobs, Incoming, Rows } from '../../../../cmd/gate/domain/ports.ts';
import type { Uploaded } from '../../../../cmd/gate/domain/uploads.ts';
import { createBlobs } from '../../../../cmd/gate/store/blobs.ts';
import { createIncoming } from '../../../../cmd/gate/store/incoming.ts';
import { createRows } from '../../../../cmd/gate/store/rows.ts';
import { createS3Blobs } from '../../../../cmd/gate/store/s3-blobs.ts';
import { failure } from '../../../support/failure.ts';
import { useFolder } from '../../../support/folder.ts';
import { documentRecord, randomBlob, uploadRecord } from '../../../support/gate-records.ts';
import { type Place, rowsContract } from '../../../support/gate-store.ts';
import { testLogger } from '../../../support/logs.ts';
import { s3Missing, startS3Server } from '../../../support/s3-server.ts';
import { until } from '../../../support/until.ts';
import { useStarted } from '../../../support/use-started.ts';

const MIB = 1_048_576;

interface BlobStore {
  incoming: Incoming;
  blobs: Blobs;
}

/** Somewhere that keeps blobs. `files` lists all files that are there: half written ones too. */
interface BlobsPlace extends Place<BlobStore> {
  files(): Promise<string[]>;
}

/** Tests what every implementation of `Incoming` and `Blobs` promises; each test gets a place of its own. */
function blobsContract(name: string, make: () => Promise<BlobsPlace>): void {
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

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'svc-store-'));

rowsContract('SQLite', async () => {
  const path = await folder();
  return { open: () => createRows(join(path, 'gate.db')), dispose: () => rm(path, { recursive: true }) };
});

describe('rows that forget uploads and removals', () => {
  const place = useFolder();
  const open = () => createRows(place.at('gate.db'), { forgetful: true });

  it('have them as long as they are open, and nothing else of them', async () => {
    const [upload, removed] = [uploadRecord(), randomBlob()];
    const first = await open();
    await first.transact(async (tx) => {
      await tx.putDocument(documentRecord());
      await tx.putUpload(upload);
      await tx.addRemoval(removed, 1);
    });
    const undone = await first
      .transact(async (tx) => {
        await tx.removeUpload(upload.blob);
        throw new Error('on purpose');
      })
      .catch((error: Error) => error.message);
    expect(undone).to.equal('on purpose');
    const known = (rows: Rows) => rows.read((tx) => tx.knownBlobs([upload.blob, removed]));
    expect(await known(first)).to.have.members([upload.blob, removed]);
    await first.close();
    const second = await open();
    expect([await known(second), (await second.read((tx) => tx.documents())).length]).to.deep.equal([[], 1]);
    await second.close();
  });
});

blobsContract('files', async () => {
  const path = await folder();
  return {
    open: async () => ({
      incoming: await createIncoming(join(path, 'incoming')),
      blobs: await createBlobs(join(path, 'blobs')),
    }),
    dispose: () => rm(path, { recursive: true }),
    files: async () =>
      (await readdir(path, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name),
  };
});

describe('on a real S3 server', () => {
  let places = 0;
  const server = useStarted(
    (context) => (s3Missing() ? context.skip() : startS3Server()),
    ({ dispose }) => dispose(),
  );

  blobsContract('objects', async () => {
    const path = await folder();
    const prefix = `place-${++places}/`;
    return {
      open: async () => ({
        incoming: await createIncoming(join(path, 'incoming')),
        blobs: await createS3Blobs({ ...server.settings, prefix }, testLogger()),
      }),
      dispose: () => rm(path, { recursive: true }),
      files: async () => [
        ...(await readdir(join(path, 'incoming'))),
        ...(await server.files())
          .filter((file) => file.startsWith(`${prefix}documents/`))
          .map((file) => basename(file)),
      ],
    };
  });
});
