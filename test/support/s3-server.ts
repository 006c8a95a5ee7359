import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { S3_SERVER } from '../../cmd/local/store.ts';
import type { S3Settings } from '../../src/common/s3/client.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { newFolder } from './own-folder.ts';
import { freePort } from './process.ts';
import { skip } from './skip.ts';
import { until } from './until.ts';
import { useStarted } from './use-started.ts';

const CREDENTIALS = { accessKeyId: 'svc-test-access', secretAccessKey: 'svc-test-secret-of-this-server' };

/** A real S3 server (versitygw) on this machine, which keeps objects as files. */
export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

/** The settings of a service that keeps its bytes there, without a prefix. */
export function s3Environment({ settings }: Pick<S3Server, 'settings'>): Record<string, string> {
  const { endpoint, bucket, credentials } = settings;
  return {
    SVC_S3_ENDPOINT: endpoint,
    SVC_S3_BUCKET: bucket,
    SVC_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    SVC_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

/** Why there is no S3 server here, or undefined. */
export function s3Missing(): string | undefined {
  return existsSync(S3_SERVER) ? undefined : 'no S3 server (scripts/store-tools.sh)';
}

/** A server for the suite around the call, which is skipped where there is none. */
export const useS3Server = () =>
  useStarted(
    (context) => {
      const missing = s3Missing();
      return missing ? skip(context, missing) : startS3Server();
    },
    (server) => server.dispose(),
  );

/** @param root folder that objects are kept below; by default a new one, removed at the end */
export async function startS3Server(root?: string) {
  const top = root ?? (await newFolder('s3'));
  const [objects, metadata] = ['objects', 'metadata'].map((name) => join(top, name)) as [string, string];
  const folder = join(objects, 'svc');
  for (const path of [folder, metadata]) await mkdir(path, { recursive: true });
  const port = await freePort();
  let daemon: Daemon | undefined;

  async function start(): Promise<void> {
    if (daemon?.isRunning()) return;
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const place = ['--port', `127.0.0.1:${port}`, '--keep-alive', '--quiet'];
    const parameters = [...place, 'posix', '--sidecar', metadata, objects];
    const environment = { ROOT_ACCESS_KEY_ID: accessKeyId, ROOT_SECRET_ACCESS_KEY: secretAccessKey };
    const started = startDaemon({ command: S3_SERVER, parameters, logFile: join(top, 'log'), cwd: top, environment });
    daemon = started;
    await until('the S3 server answers', () => {
      if (started.child.exitCode !== null) throw new Error(`the S3 server ended:\n${started.log()}`);
      return fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => undefined,
      );
    });
  }

  await start();
  const settings = {
    endpoint: `http://127.0.0.1:${port}`,
    ...{ bucket: 'svc', region: 'us-east-1', prefix: '', credentials: CREDENTIALS },
  } satisfies S3Settings;
  return {
    port,
    /** Folder of the bucket's objects. */
    folder,
    settings,
    /** Starts it again, where it was, unless it runs. */
    start,
    /** Ends it as on SIGKILL. */
    kill: async () => daemon?.stop('SIGKILL'),
    /** Stops all of it where it is, as a server that hangs, until `resume`. */
    hang: () => void daemon?.child.kill('SIGSTOP'),
    resume: () => void daemon?.child.kill('SIGCONT'),
    /** Paths below the bucket of all files: half written ones too. */
    files: async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
    /** Ends it, and removes all that it has. */
    async dispose() {
      await daemon?.stop('SIGKILL');
      if (!root) await rm(top, { recursive: true, force: true });
    },
  };
}
