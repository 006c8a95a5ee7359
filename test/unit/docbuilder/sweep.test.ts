import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { JobRecord } from '../../../cmd/docbuilder/jobs/job.ts';
import { JobRegistry } from '../../../cmd/docbuilder/jobs/job-registry.ts';
import { createFolderJobs } from '../../../cmd/docbuilder/store/folder-jobs.ts';
import { IdIssuer } from '../../../src/common/ids.ts';
import { silentLogger } from '../../support/logs.ts';

const START = 1_790_000_000_000;
const RETENTION = 900_000;

describe('jobs past their retention', () => {
  let directory: string;
  let registry: JobRegistry;
  const state = { now: START };
  beforeEach(async () => {
    state.now = START;
    directory = await mkdtemp(join(tmpdir(), 'svc-sweep-'));
    const known = { ids: new IdIssuer(randomBytes(32)), clock: () => state.now, retentionMs: () => RETENTION };
    const store = createFolderJobs(directory, { ...known, log: silentLogger() });
    registry = new JobRegistry({ ...known, store });
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** A job with a result file; running where it has no end. */
  async function kept(finishedAt: number | null): Promise<JobRecord> {
    const id = registry.newJobId();
    const folder = join(directory, id);
    await mkdir(folder);
    await writeFile(join(folder, 'file_1'), 'result');
    const job: JobRecord = {
      ...{ id, kind: 'convert', status: finishedAt === null ? 'running' : 'done', outputs: [], error: null },
      ...{ createdAt: state.now, startedAt: state.now, finishedAt, callback: null, baseUrl: '' },
      expiresAt: finishedAt === null ? null : finishedAt + RETENTION,
      timing: { queueMs: 0, engineMs: 0 },
    };
    if (finishedAt === null) registry.add(job);
    else await writeFile(join(folder, 'job.json'), JSON.stringify(job));
    return job;
  }

  it('go from the disk, files and all; others and those that still run stay', async () => {
    const running = await kept(null);
    const soon = await kept(START);
    const slow = await kept(START + 60_000);
    state.now = START + RETENTION - 1;
    await registry.sweep();
    expect(await readdir(directory)).to.have.members([running.id, soon.id, slow.id]);
    state.now += 1;
    await registry.sweep();
    expect(await readdir(directory)).to.have.members([running.id, slow.id]);
    state.now += 60_000;
    await registry.sweep();
    expect(await readdir(directory)).to.deep.equal([running.id]);
    expect((await registry.job(running.id)).status).to.equal('running');
  });
});
