import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Context } from 'mocha';
import type { Blobs, Incoming, ReceivedFile, StoredBlob } from '../../cmd/gate/domain/ports.ts';
import { retryFor } from '../../cmd/gate/domain/saves.ts';
import { createIncoming } from '../../cmd/gate/store/incoming.ts';
import { createS3Blobs } from '../../cmd/gate/store/s3-blobs.ts';
import type { S3Settings } from '../../src/common/s3/client.ts';
import { randomBlob } from '../support/gate-records.ts';
import { type HttpFaults, startHttpFaults } from '../support/http-faults.ts';
import { testLogger } from '../support/logs.ts';
import { type S3Server, s3Missing, startS3Server } from '../support/s3-server.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const MB = 1_000_000;
/** Timings of a store in a hurry. */
export const S3_TIMINGS = { idleMs: 1_000, requestMs: 1_500, patienceMs: 3_000 };

/** A real S3 server behind a network that can be cut and a server that can answer in its place, and a store on it. */
export interface S3Bench {
  server: S3Server;
  /** Between `faults` and the server. */
  proxy: TcpProxy;
  faults: HttpFaults;
  incoming: Incoming;
  /** Folder of `incoming`. */
  received: string;
  blobs: Blobs;
  /** Opens another store. */
  open(settings?: Partial<S3Settings>): Promise<Blobs>;
  receive(bytes: Uint8Array): Promise<ReceivedFile>;
  /** Puts a file as a save does, under a new name. */
  put(file: ReceivedFile, holdMs?: number): Promise<StoredBlob>;
  /** Receives and puts bytes. */
  stored(bytes: Uint8Array): Promise<StoredBlob>;
  /** Returns the names of all blobs. */
  names(): Promise<string[]>;
  dispose(): Promise<void>;
}

/** Skips the suite where this machine has no S3 server. */
export async function startS3Bench(context: Context): Promise<S3Bench> {
  if (s3Missing()) context.skip();
  const folder = await mkdtemp(join(tmpdir(), 'svc-s3-bench-'));
  const server = await startS3Server();
  const proxy = await startTcpProxy(server.port);
  const faults = await startHttpFaults(proxy.port);
  const received = join(folder, 'incoming');
  const incoming = await createIncoming(received);
  const endpoint = `http://127.0.0.1:${faults.port}`;
  const open: S3Bench['open'] = (settings = {}) =>
    createS3Blobs({ ...server.settings, endpoint, timings: S3_TIMINGS, ...settings }, testLogger());
  const blobs = await open();
  const receive: S3Bench['receive'] = (bytes) => incoming.receive(Readable.from([bytes]), { maxBytes: 100 * MB });
  const put: S3Bench['put'] = async (file, holdMs = 10_000) => {
    const blob = randomBlob();
    await retryFor({ holdMs, retryMs: 50 }, testLogger())((signal) => blobs.put(file, blob, signal));
    return { blob, sha256: file.sha256 };
  };
  return {
    ...{ server, proxy, faults, incoming, received, blobs, open, receive, put },
    stored: async (bytes) => put(await receive(bytes)),
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
