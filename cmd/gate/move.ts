/** Moves an instance's documents between the data folder and PostgreSQL with S3: see docs/operations.md. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateDirectory, writeAtomic } from '../../src/common/fs/atomic.ts';
import { exists } from '../../src/common/fs/exists.ts';
import { createLogger } from '../../src/common/log.ts';
import { type Config, loadConfig } from './config.ts';
import { copyKept } from './domain/move.ts';
import { type DataDir, openDataDir } from './store/data-dir.ts';
import { createS3Blobs } from './store/s3-blobs.ts';

const USAGE = `Usage: node dist/cmd/gate/move.js to-shared | to-embedded, with a gate's settings, while no gate runs

  to-shared     Copies the documents of SVC_GATE_DATA_DIR to SVC_DATABASE_URL and SVC_S3_BUCKET, which have none.
  to-embedded   Copies them back to SVC_GATE_DATA_DIR, which has none.

Nothing is removed where they were. Exit status: 0 success; 1 nothing was moved; 2 wrong usage.`;

type Direction = 'to-shared' | 'to-embedded';

/** Opens database and bucket, as a gate does whose data folder has nothing of its own. */
async function openShared({ databaseUrl, s3 }: Config, folder: string): Promise<DataDir> {
  if (databaseUrl === '' || !s3) throw new Error('SVC_DATABASE_URL and SVC_S3_BUCKET name the other store: set both');
  const log = createLogger({ service: 'move', level: 'info' });
  const data = await openDataDir(folder, { databaseUrl, openBlobs: () => createS3Blobs(s3, log) });
  // Every gate has or wants the lease.
  if (await data.rows.shared?.lease.renew()) return data;
  await data.close();
  throw new Error('a gate works on SVC_DATABASE_URL: stop all of them');
}

async function move(config: Config, direction: Direction, folder: string): Promise<string> {
  const { dataDir } = config;
  const isToShared = direction === 'to-shared';
  if (isToShared && !(await exists(join(dataDir, 'gate.db')))) throw new Error(`${dataDir} has no gate.db`);
  const embedded = (): Promise<DataDir> => openDataDir(dataDir);
  const shared = (): Promise<DataDir> => openShared(config, folder);
  const from = await (isToShared ? embedded : shared)();
  try {
    await giveKey(isToShared ? folder : dataDir, from.linkSecret);
    const to = await (isToShared ? shared : embedded)();
    try {
      if (!to.linkSecret.equals(from.linkSecret))
        throw new Error('a gate has worked there before: begin with a new one');
      const copied = await copyKept(from, to);
      return `copied: ${Object.entries(copied)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}`;
    } finally {
      await close(to);
    }
  } finally {
    await close(from);
  }
}

/** Links that portals have go on leading to their versions. */
async function giveKey(folder: string, key: Buffer): Promise<void> {
  await makePrivateDirectory(folder);
  if (!(await exists(join(folder, 'gate.db')))) await writeAtomic(join(folder, 'links.key'), key, { durable: true });
}

async function close(data: DataDir): Promise<void> {
  await data.rows.shared?.lease.release();
  await data.close();
}

async function run([direction = '', ...rest]: readonly string[]): Promise<number> {
  if ((direction !== 'to-shared' && direction !== 'to-embedded') || rest.length > 0) {
    console.error(USAGE);
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-move-'));
  try {
    console.log(await move(loadConfig(process.env), direction, folder));
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run(process.argv.slice(2));
