import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Overrides } from '../../cmd/docbuilder/app.ts';
import { type LocalDocbuilder, startLocalDocbuilder } from '../../scripts/support/docbuilder.ts';
import type { Environment } from '../../src/common/config.ts';
import type { ErrorResponse, Job } from '../../src/common/generated/wire.ts';
import { sharedBench } from '../engine/support.ts';
import { runEnding } from './at-end.ts';
import { licensed } from './license.ts';
import { secret, testLogger } from './logs.ts';
import { getStore, withStore } from './test-store.ts';
import { until } from './until.ts';
import { useStarted } from './use-started.ts';

export { until };

/** Settings of the engine: a service for which one is named has an engine of its own, all others share one. */
const OF_ENGINE = /^SVC_DOCBUILDER_(WORKER|SANDBOX|OFFICE)/;

export type TestService = Awaited<ReturnType<typeof startService>>;

/** A service for the suite around the call. */
export const useService = (start: () => Promise<TestService>) =>
  useStarted(
    () => start(),
    (service) => service.stop(),
  );

/** A service with the Enterprise plan, all features. */
export async function startEnterprise(environment: Environment = {}, overrides: Overrides = {}): Promise<TestService> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-license-'));
  const service = await startService({ ...(await licensed(directory)), ...environment }, overrides);
  return {
    ...service,
    stop: async (options?: { keep: boolean }) => {
      await service.stop(options);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

let shared: Promise<TestService> | undefined;

/** The Enterprise service of all suites that leave it as it was; it stops after the last test of the run. */
export function sharedEnterprise(): Promise<TestService> {
  shared ??= startEnterprise().then((service) => {
    runEnding.at(() => service.stop());
    return service;
  });
  return shared;
}

/** A real DocBuilder on a port of its own, in this process, with its own data folder. */
export async function startService(environment: Environment = {}, overrides: Overrides = {}) {
  const dataDir = environment['SVC_DOCBUILDER_DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'svc-test-')));
  const settings = { SVC_DOCBUILDER_DATA_DIR: dataDir, SVC_DOCBUILDER_WORKERS: '1', ...environment };
  const isOwn = Object.keys(environment).some((name) => OF_ENGINE.test(name));
  const engine = isOwn ? {} : { engine: (await sharedBench()).engine };
  const local = await startLocalDocbuilder(await withStore(settings, dataDir), testLogger(), {
    ...engine,
    ...overrides,
  });
  const { url, key, docbuilder } = local;
  secret(key);
  const store = await getStore(dataDir);
  const call: LocalDocbuilder['call'] = async (path, init) => {
    if (overrides.clock) await store?.setTime(overrides.clock(), { runs: false });
    return local.call(path, init);
  };
  /** Returns the JSON that a GET is answered with. */
  const read = async <Body>(path: string) => (await (await call(path)).json()) as Body;
  /** Paths of what requests and jobs under way have in the data folder. */
  const temporaries = async (): Promise<string[]> => {
    const [all, results] = [join(dataDir, 'tmp'), join(dataDir, 'tmp', 'results')];
    const ofJobs = (await readdir(results).catch(() => [])).map((name) => join(results, name));
    return [...(await readdir(all)).map((name) => join(all, name)).filter((path) => path !== results), ...ofJobs];
  };
  return {
    ...{ url, key, dataDir, docbuilder, call, temporaries, read },
    /** POST /v1/convert with a file. */
    convert: (
      file: Uint8Array,
      filename: string,
      fields: Record<string, string>,
      headers: Record<string, string> = {},
    ) => call('/v1/convert', { method: 'POST', body: form(file, filename, fields), headers }),
    /** Sends a JSON body. */
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      call(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...headers },
      }),
    /** The job, once it has ended. */
    ended: (id: string) =>
      until(`job ${id} ends`, async () => {
        const job = await read<Job>(`/v1/jobs/${id}`);
        return job.status === 'done' || job.status === 'failed' ? job : undefined;
      }),
    /** Stops the service, which may leave no temporary file; can keep the data folder for a later start in it. */
    stop: async ({ keep } = { keep: false }): Promise<void> => {
      await docbuilder.stop();
      // On the shared store, the files of the last answer go after it.
      await until('nothing is left of requests', async () => (await temporaries()).length === 0).catch(async () => {
        throw new Error(`the service has left ${(await temporaries()).join(', ')}`);
      });
      if (!keep) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function form(file: Uint8Array | undefined, filename: string, fields: Record<string, string>): FormData {
  const body = new FormData();
  if (file) body.append('file', new Blob([Buffer.from(file)]), filename);
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return body;
}

/** Status, code and detail of an error answer, after checking that it is one. */
export async function readError(
  response: Response,
): Promise<{ status: number; code: string; detail: Record<string, unknown> }> {
  const body = (await response.json()) as ErrorResponse;
  if (body.error.request_id !== response.headers.get('x-svc-request-id')) throw new Error('request ids differ');
  return { status: response.status, code: body.error.code, detail: body.error.detail as Record<string, unknown> };
}
