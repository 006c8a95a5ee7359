import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createJobFolder } from '../../../../cmd/docbuilder/engine/job-folder.ts';
import type { EngineTask } from '../../../../cmd/docbuilder/engine/task.ts';

const NAME = 'Quyết định sa thải';

describe('engine: the folder of a job', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-job-folder-'));
    await mkdir(join(directory, 'jobs'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const task = (input: string): EngineTask => ({
    ...{ input, from: 'txt', stem: NAME, source: {}, maxOutputBytes: 9 },
    outputs: [{ path: join(directory, 'result'), to: 'pdf', options: {} }],
  });
  const failureOf = (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => expect.fail('it did not fail'),
      (error) => error,
    );

  it('fails without the name of the document in what is logged, and leaves nothing', async () => {
    const failure = await failureOf(createJobFolder(join(directory, 'jobs'), task(join(directory, 'missing'))));
    expect(failure).to.include({ code: 'ENOENT', message: 'copyfile: ENOENT' });
    expect(`${failure.stack} ${failure.cause}`).to.not.contain('Quy');
    expect(await readdir(join(directory, 'jobs'))).to.deep.equal([]);
  });

  it('fails so as well where a result has no place to go', async () => {
    const input = join(directory, 'input');
    await writeFile(input, 'a');
    const folder = await createJobFolder(join(directory, 'jobs'), task(input));
    await writeFile(join(directory, 'jobs', folder.outputs[0] ?? ''), 'r');
    const failure = await failureOf(folder.deliver(0, join(directory, 'none', 'x'), 9));
    expect(failure).to.include({ code: 'ENOENT' });
    expect(`${failure.stack} ${failure.cause}`).to.not.contain('Quy');
    folder.remove();
  });
});
