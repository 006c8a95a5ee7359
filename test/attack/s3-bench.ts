import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Context } from 'mocha';
import type { Blobs, ReceivedFile, StoredBlob } from '../../cmd/gate/domain/ports.ts';
import { retryFor } from '../../cmd/gate/domain/saves.ts';
import { createIncoming } from '../../cmd/gate/store/incoming.ts';
import { createS3Blobs } from '../../cmd/gate/store/s3-blobs.ts';
import type { S3Settings } from '../../src/common/s3/client.ts';
import { randomBlob } from '../support/gate-records.ts';
import { startHttpFaults } from '../support/http-faults.ts';
import { testLogger } from '../support/logs.ts';
import { s3Missing, startS3Server } from '../support/s3-server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const MB = 1_000_000;
/** Timings of a store in a hurry. */
export const S3_TIMINGS = { idleMs: 1_000, requestMs: 1_500, patienceMs: 3_000 };

/**
 * Starts a real S3 server behind a network that can be cut (`proxy`) and a server that can answer in its place (`faults`),
 * and a store on it. Skips the suite where this machine has no S3 server.
 */
export async function startS3Bench(context: Context) {
  if (s3Missing()) context.skip();
  const folder = await mkdtemp(join(tmpdir(), 'svc-s3-bench-'));
  const server = await startS3Server();
  const proxy = await startTcpProxy(server.port);
  const faults = await startHttpFaults(proxy.port);
  const received = join(folder, 'incoming');
  const incoming = await createIncoming(received);
  const endpoint = `http://127.0.0.1:${faults.port}`;
  /** Opens another store. */
  const open = (settings: Partial<S3Settings> = {}): Promise<Blobs> =>
    createS3Blobs({ ...server.settings, endpoint, timings: S3_TIMINGS, ...settings }, testLogger());
  const blobs = await open();
  const receive = (bytes: Uint8Array) => incoming.receive(Readable.from([bytes]), { maxBytes: 100 * MB });
  /** Puts a file as a save does, under a new name. */
  const put = async (file: ReceivedFile, holdMs = 10_000): Promise<StoredBlob> => {
    const blob = randomBlob();
    await retryFor({ holdMs, retryMs: 50 }, testLogger())((signal) => blobs.put(file, blob, signal));
    return { blob, sha256: file.sha256 };
  };
  return {
    ...{ server, proxy, faults, incoming, received, blobs, open, receive, put },
    /** Receives and puts bytes. */
    stored: async (bytes: Uint8Array) => put(await receive(bytes)),
    /** Returns the names of all blobs. */
    names: async () =>
      (await server.files()).filter((file) => /^documents\/[0-9a-f]{32}$/.test(file)).map((file) => basename(file)),
    async dispose() {
      faults.close();
      await proxy.close();
      await server.dispose();
      await rm(folder, { recursive: true });
    },
  };
}
