import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import type { Environment } from '../../src/common/config.ts';
import type { Job } from '../../src/common/generated/wire.ts';
import { licensed } from './license.ts';
import { postgresOrSkip } from './postgres.ts';
import { ready, type ServiceProcess, spawnService } from './process.ts';
import { s3Environment, s3Missing, startS3Server } from './s3-server.ts';
import { form, until } from './service.ts';
import { skip } from './skip.ts';

const KEY = 'svc_a-key-of-all-replicas-0123456789';

/** DocBuilders as processes of their own, which share a real PostgreSQL and a real object store. */
export type Replicas = Awaited<ReturnType<typeof startShared>>;

export async function startShared(context: Context, grant?: Parameters<typeof licensed>[1]) {
  const missing = s3Missing();
  if (missing) skip(context, missing);
  const postgres = await postgresOrSkip(context);
  const s3 = await startS3Server();
  const directory = await mkdtemp(join(tmpdir(), 'svc-replicas-'));
  const environment: Environment = {
    ...(await licensed(directory, grant)),
    ...s3Environment(s3),
    SVC_DATABASE_URL: await postgres.create(),
    SVC_FETCH_ALLOW_HOSTS: '127.0.0.1',
    SVC_DOCBUILDER_API_KEYS: `test:${KEY}`,
  };
  const services: ServiceProcess[] = [];
  const killAll = async () => {
    const all = services.splice(0);
    for (const { child } of all) child.kill('SIGKILL');
    await Promise.all(all.map(({ ended }) => ended));
    // Workers end with their service, a moment later.
    for (const { dataDir } of all) await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return {
    ...{ postgres, s3 },
    /** Settings that the replicas share. */
    environment,
    /** Starts one more. */
    async start(more: Environment = {}): Promise<ServiceProcess> {
      const service = await spawnService({ ...environment, ...more });
      services.push(service);
      // Several engines start at the same time.
      return ready(service, 90_000);
    },
    /** Ends all that were started, at once. */
    killAll,
    async dispose(): Promise<void> {
      await killAll();
      await Promise.all([postgres.stop(), s3.dispose(), rm(directory, { recursive: true })]);
    },
  };
}

/** Sends a conversion. */
export function convert(
  url: string,
  file: Uint8Array,
  fields: Record<string, string>,
  init: RequestInit = {},
): Promise<Response> {
  const name = file.length > 1000 ? 'slow.fods' : 'a.txt';
  const headers = { Authorization: `Bearer ${KEY}`, ...init.headers };
  return fetch(`${url}/v1/convert`, { ...init, method: 'POST', body: form(file, name, fields), headers });
}

/** Sends a GET. */
export function get(url: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${KEY}`, ...headers } });
}

/** The job, once `is` holds for it. */
export function jobThat(url: string, id: string, is: (job: Job) => boolean, ms?: number): Promise<Job> {
  return until(
    `job ${id}`,
    async () => {
      const response = await get(url, `/v1/jobs/${id}`);
      const job = response.ok ? ((await response.json()) as Job) : undefined;
      return job && is(job) ? job : undefined;
    },
    ms,
  );
}
