import { loadConfig } from '../../cmd/gate/config.ts';
import type { Blobs } from '../../cmd/gate/domain/ports.ts';
import { type DataDir, openDataDir } from '../../cmd/gate/store/data-dir.ts';
import type { Environment } from '../../src/common/config.ts';
import type { S3Settings } from '../../src/common/s3/client.ts';
import { testLogger } from './logs.ts';
import { getStore, withStore } from './test-store.ts';

/** A gate's data, and the names of the bytes in it. */
export interface TestData extends DataDir {
  stored(): Promise<string[]>;
}

/** Opens what a gate with a data folder keeps. @param environment may name another store than that of the tests */
export async function openTestData(path: string, environment: Environment = {}): Promise<TestData> {
  const { databaseUrl, s3 } = loadConfig(await withStore({ ...environment, SVC_GATE_DATA_DIR: path }, path));
  const data = await openDataDir(path, { databaseUrl, openBlobs: s3 && (() => openS3Blobs(s3)) });
  const store = await getStore(path);
  return {
    ...data,
    stored: async () =>
      (await data.blobs.list?.()) ?? (await store?.objects())?.map((name) => name.replace('documents/', '')) ?? [],
  };
}

async function openS3Blobs(s3: S3Settings): Promise<Blobs> {
  const { createS3Blobs } = await import('../../cmd/gate/store/s3-blobs.ts');
  return createS3Blobs(s3, testLogger());
}
