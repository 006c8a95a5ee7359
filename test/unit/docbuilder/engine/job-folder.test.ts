import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createJobFolder } from '../../../../cmd/docbuilder/engine/job-folder.ts';
import type { EngineTask } from '../../../../cmd/docbuilder/engine/task.ts';
import { useFolder } from '../../../support/folder.ts';

const NAME = 'Quyết định sa thải';

describe('engine: the folder of a job', () => {
  const folder = useFolder();
  const jobs = () => folder.at('jobs');
  before(() => mkdir(jobs()));

  const task = (input: string): EngineTask => ({
    ...{ input, from: 'txt', stem: NAME, source: {}, maxOutputBytes: 9 },
    outputs: [{ path: folder.at('result'), to: 'pdf', options: {} }],
  });
  const findFailure = (work: Promise<unknown>): Promise<Error> =>
    work.then(() => expect.fail('no failure')).catch((error) => error);

  it('fails without the name of the document in what is logged, and leaves nothing', async () => {
    const failure = await findFailure(createJobFolder(jobs(), task(folder.at('missing'))));
    expect(failure).to.include({ code: 'ENOENT', message: 'copyfile: ENOENT' });
    expect(`${failure.stack} ${failure.cause}`).to.not.contain('Quy');
    expect(await readdir(jobs())).to.deep.equal([]);
  });

  it('fails so as well where a result has no place to go', async () => {
    const job = await createJobFolder(jobs(), task(await folder.file('a')));
    await writeFile(folder.at('jobs', job.outputs[0] ?? ''), 'r');
    const failure = await findFailure(job.deliver(0, folder.at('none', 'x'), 9));
    expect(failure).to.include({ code: 'ENOENT' });
    expect(`${failure.stack} ${failure.cause}`).to.not.contain('Quy');
    job.remove();
  });
});
