import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { createS3Blobs } from '../../cmd/gate/store/s3-blobs.ts';
import { TIMINGS } from '../../src/common/s3/client.ts';
import { failure } from '../support/failure.ts';
import { randomBlob } from '../support/gate-records.ts';
import { testLogger } from '../support/logs.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { useSmallDisk } from '../support/small-disk.ts';
import { useStarted } from '../support/use-started.ts';
import { S3_TIMINGS, startS3Bench } from './s3-bench.ts';

const MB = 1_000_000;

describe('an S3 server that answers otherwise', () => {
  const bench = useStarted(startS3Bench, ({ dispose }) => dispose());
  afterEach(() => bench.faults?.heal());

  it('does not keep what is not what it is called: the file is another than was hashed, or bytes change on their way', async () => {
    const forged = await bench.receive(randomBytes(MB));
    await writeFile(forged.path, randomBytes(MB));
    const before = await bench.names();
    expect(await failure(bench.blobs.put(forged, randomBlob()))).to.include({ name: 'S3Error', httpStatus: 400 });
    expect(await bench.names()).to.deep.equal(before);
    await bench.incoming.discard(forged);

    const file = await bench.receive(randomBytes(MB));
    bench.faults.alter({ up: (content) => content.pipe(flip()) });
    const blob = randomBlob();
    expect(await failure(bench.blobs.put(file, blob))).to.include({ name: 'S3Error', httpStatus: 400 });
    expect(await bench.names()).to.deep.equal(before);
    bench.faults.heal();
    await bench.blobs.put(file, blob);
    expect(await bench.names()).to.include(blob);
  });

  it('whose bytes are not those that were stored: the stream fails before its end', async () => {
    const stored = await bench.stored(randomBytes(MB));
    for (const change of [flip, shorten]) {
      bench.faults.alter({ down: (content) => content.pipe(change()) });
      let size = 0;
      const stream = bench.blobs.read(stored).on('data', (piece: Buffer) => {
        size += piece.length;
        if (change === shorten) bench.faults.heal();
      });
      const error = await failure(once(stream, 'end'));
      if (change === flip) expect(error).to.include({ code: 'WrongBytes' });
      if (change === flip) expect(size).to.be.below(MB);
      else expect(size).to.equal(MB);
    }
  });

  it('that says SlowDown: puts, reads and removals work in the end', async () => {
    let slow = 0;
    const slowDown = (times: number) => {
      slow = times;
      bench.faults.fail((request, response) => {
        if (slow-- <= 0) return false;
        return refuse(request, response, { status: 503, code: 'SlowDown' });
      });
    };
    // With the time that it really has, and the repetitions of a client that nothing has failed for.
    const blobs = await bench.open({ timings: TIMINGS });
    const bytes = randomBytes(MB);
    const file = await bench.receive(bytes);
    slowDown(3);
    const stored = await bench.put(file);
    slowDown(4);
    expect((await buffer(blobs.read(stored))).equals(bytes)).to.equal(true);
    slowDown(2);
    await blobs.remove(stored.blob);
    expect(await bench.names()).not.to.include(stored.blob);
  });

  it('has lost its bucket: an error that says so, and saves go on once it is there again', async () => {
    const [file, blob] = [await bench.receive(randomBytes(1_000)), randomBlob()];
    await rename(bench.server.folder, `${bench.server.folder}-away`);
    try {
      expect(await failure(bench.blobs.put(file, blob))).to.include({ code: 'NoSuchBucket', httpStatus: 404 });
      expect(await failure(buffer(bench.blobs.read({ ...file, blob })))).to.be.instanceOf(Error);
    } finally {
      await rename(`${bench.server.folder}-away`, bench.server.folder);
    }
    await bench.blobs.put(file, blob);
    expect(await bench.names()).to.include(blob);
  });

  it('is opened by many at the same time: none takes another’s object for its own', async () => {
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 8 }, () => bench.open()));
  });

  it('answers that another request is in the way: that is no mistake of the configuration', async () => {
    bench.faults.fail((request, response) => refuse(request, response, { status: 409, code: 'OperationAborted' }));
    await bench.open();
  });

  it('is full: that is no mistake of the configuration, and a save waits', async () => {
    const file = await bench.receive(randomBytes(1_000));
    bench.faults.fail((request, response) => refuse(request, response, { status: 403, code: 'QuotaExceeded' }));
    const full = await bench.open();
    const error = await failure(full.put(file, randomBlob()));
    expect(error).to.include({ code: 'QuotaExceeded', isPassing: true });
    await bench.incoming.discard(file);
  });

  it('cannot do what an upload needs: it is refused at start', async () => {
    bench.faults.fail((request, response) => {
      if (request.headers['x-amz-checksum-sha256'] === undefined) return false;
      return refuse(request, response, { status: 501, code: 'NotImplemented' });
    });
    const line = 'SVC_S3_ENDPOINT answers the request to put with NotImplemented (501): Please try again.';
    expect(((await failure(bench.open())) as Error).message).to.equal(`configuration:\n  ${line}`);
  });

  for (const [status, code, line] of [
    [
      400,
      'InvalidArgument',
      'SVC_S3_ENDPOINT answers the request to put with InvalidArgument (400): Please try again.',
    ],
    [403, 'AccessDenied', 'SVC_S3_BUCKET may not be used with these credentials: put is denied: Please try again.'],
  ] as const) {
    it(`refuses with ${code}: the line has its own words`, async () => {
      bench.faults.fail((request, response) => refuse(request, response, { status, code }));
      expect(((await failure(bench.open())) as Error).message).to.equal(`configuration:\n  ${line}`);
    });
  }

  it('says yes to all, as a web server with one page does: it is refused at start, and takes no save', async () => {
    const file = await bench.receive(randomBytes(1_000));
    bench.faults.fail((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html></html>'));
      return true;
    });
    expect(await failure(bench.blobs.put(file, randomBlob()))).to.include({ name: 'S3Error', operation: 'put' });
    const line = 'SVC_S3_ENDPOINT is not an object store: what is put there is not kept';
    expect(((await failure(bench.open())) as Error).message).to.equal(`configuration:\n  ${line}`);
    await bench.incoming.discard(file);
  });

  it('refuses at start: one line says which setting is wrong, and none has a secret in it', async () => {
    const { credentials } = bench.server.settings;
    const secretAccessKey = 'another-secret';
    for (const [wrong, line] of [
      [{ bucket: 'elsewhere' }, 'SVC_S3_BUCKET names a bucket that does not exist'],
      [
        { credentials: { ...credentials, accessKeyId: 'nobody' } },
        'SVC_S3_ACCESS_KEY_ID is not known to the object store',
      ],
      [
        { credentials: { ...credentials, secretAccessKey } },
        'SVC_S3_SECRET_ACCESS_KEY is not the secret of the access key',
      ],
      [{ region: 'eu-west-1' }, 'SVC_S3_REGION is not the region of the bucket'],
    ] as const) {
      const error = await failure(bench.open(wrong));
      expect((error as Error).message).to.equal(`configuration:\n  ${line}`);
    }
  });

  it('is away at start: that is logged, and the gate starts', async () => {
    const warnings: unknown[] = [];
    await bench.server.kill();
    const settings = { ...bench.server.settings, timings: S3_TIMINGS };
    await createS3Blobs(settings, { warn: (fact: unknown) => void warnings.push(fact) } as never);
    await bench.server.start();
    expect(warnings).to.have.length(1);
  });

  it('gets nothing of a file that cannot be read: that is the error of the file, at once', async () => {
    const sha256 = hash('sha256', 'unread');
    const file = { path: bench.received, sha256, size: 6 };
    const before = await bench.names();
    expect(await failure(bench.blobs.put(file, randomBlob()))).to.include({ code: 'EISDIR' });
    const gone = { ...file, path: `${bench.received}/gone` };
    expect(await failure(bench.blobs.put(gone, randomBlob()))).to.include({ code: 'ENOENT' });
    expect(await bench.names()).to.deep.equal(before);
  });

  describe('without room', () => {
    let small: S3Server;
    const disk = useSmallDisk(16, () => small?.dispose());

    it('fails a put and leaves nothing of it; once there is room, the same one works', async () => {
      small = await startS3Server(disk.folder);
      const full = await createS3Blobs(small.settings, testLogger());
      disk.fill(2 * MB);
      const file = await bench.receive(randomBytes(5 * MB));
      const blob = randomBlob();
      expect(await failure(full.put(file, blob))).to.include({ name: 'S3Error' });
      expect(await small.files()).to.deep.equal([]);
      disk.free();
      await full.put(file, blob);
      expect(hash('sha256', await buffer(full.read({ ...file, blob })))).to.equal(file.sha256);
    });
  });
});

/** Answers a request as an S3 server does that refuses it. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code }: { status: number; code: string },
) {
  request.resume();
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code><Message>Please try again.</Message></Error>`);
  return true;
}

function flip(): Transform {
  let done = false;
  return new Transform({
    transform(piece: Buffer, _encoding, next) {
      const copy = Buffer.from(piece);
      if (!done && copy.length > 0) copy[0] = (copy[0] ?? 0) ^ 1;
      done = true;
      next(null, copy);
    },
  });
}

/** Passes half of a megabyte on and then hangs up. */
function shorten(): Transform {
  let size = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, next) {
      size += piece.length;
      if (size > MB / 2) return void this.push(null);
      next(null, piece);
    },
  });
}
