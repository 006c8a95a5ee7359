import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readBody, scriptIn } from '../../../cmd/docbuilder/http/bodies.ts';
import { createLargeWork } from '../../../cmd/docbuilder/http/large-work.ts';
import type { EffectivePlan } from '../../../cmd/docbuilder/jobs/limits.ts';
import type { FlatTask } from '../../../cmd/docbuilder/script/build.ts';
import { writeScript } from '../../../cmd/docbuilder/script/write-script.ts';
import { useFolder } from '../../support/folder.ts';
import { threadTime } from '../../support/thread-time.ts';

const PLAN = {
  edition: 'enterprise',
  limits: { max_outputs_per_build: 5, max_script_units: 20_000, max_file_mb: 300 },
} as EffectivePlan;
const never = new AbortController().signal;

const makeSheet = (rows: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      svcscript: 1,
      type: 'sheet',
      save: [{ format: 'ods' }],
      sheets: [{ rows: Array.from({ length: rows }, (_, row) => Array.from({ length: 20 }, () => `ô ${row}`)) }],
    }),
  );

describe('large work', () => {
  const large = makeSheet(20_000);
  const work = createLargeWork(() => PLAN);
  const folder = useFolder('test');
  after(() => work.stop());

  const makeTask = (text: Buffer, name: string): FlatTask => ({
    ...{ text, save: [{ format: 'ods' }], fetched: new Map(), now: 0, path: folder.at(name) },
  });

  it('is written elsewhere, and the file is the same', async () => {
    const here = await threadTime(() => {
      const task = makeTask(large, 'here');
      return writeScript(scriptIn(task.text), task);
    });
    const elsewhere = await threadTime(() => work.writeFlat(makeTask(large, 'elsewhere'), never));
    expect(readFileSync(folder.at('elsewhere')).equals(readFileSync(folder.at('here')))).to.equal(true);
    expect(elsewhere).to.be.below(here / 2);
  });

  it('keeps data of templates apart that JSON would not', async () => {
    const json = Buffer.from(`{"url":"https://example.com/","data":{"a":1e400,"b":"${'x'.repeat(4096)}"}}`);
    const { data } = await work.readBody('render', { json }, never);
    expect(Buffer.from(data).equals(Buffer.from(readBody('render', { json }, PLAN).data))).to.equal(true);
  });
});
