import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { createTemplateFiller } from '../../../../cmd/docbuilder/template/filler.ts';
import type { TemplateTask } from '../../../../cmd/docbuilder/template/template.ts';
import { AppError } from '../../../../src/common/errors.ts';
import { paragraphs, templateTask } from '../../../support/filling.ts';
import { docxTemplate, p, table } from '../../../support/templates.ts';

const ROWS = table([[p('{{#rows}}{{a}}'), p('{{b}}'), p('{{c}}{{/rows}}')]]) + p('');
const never = new AbortController().signal;

describe('a filler of templates', () => {
  const filler = createTemplateFiller();
  const removals: (() => void)[] = [];
  afterEach(() => {
    for (const remove of removals.splice(0)) remove();
  });

  function taskOf(body: string, data: unknown, options: Partial<TemplateTask> = {}): TemplateTask {
    const { task, remove } = templateTask(docxTemplate({ body }), data, options);
    removals.push(remove);
    return task;
  }

  const thrownBy = (work: Promise<void>): Promise<unknown> =>
    work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );

  async function failed(work: Promise<void>): Promise<AppError> {
    const error = await thrownBy(work);
    if (!(error instanceof AppError)) throw error ?? new Error('it was filled');
    return error;
  }

  it('writes the document, in a thread of its own', async () => {
    const task = taskOf(ROWS, { rows: Array.from({ length: 500 }, (_, index) => ({ a: index, b: 'b', c: 'ữ' })) });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await filler.fill(task, never);
    clearInterval(timer);
    const xml = strFromU8(unzipSync(readFileSync(task.output))['word/document.xml'] ?? new Uint8Array());
    expect(paragraphs(xml)).to.have.lengthOf(1501);
    expect(turns, 'turns of this thread meanwhile').to.be.greaterThan(5);
  });

  it('says what is wrong, and leaves nothing behind', async () => {
    const task = taskOf(p('{{a}}{{b}}'), { a: 1 }, { missing: 'error' });
    const error = await failed(filler.fill(task, never));
    expect(error.code).to.equal('template_error');
    expect(error.detail['fields']).to.deep.equal(['b']);
    expect(existsSync(task.output)).to.equal(false);
  });

  it('ends at once when told to, and leaves nothing behind', async () => {
    // Hours of work.
    const rows = Array.from({ length: 300 }, () => 0);
    const task = taskOf(p('{{#r}}{{#r}}{{#r}}{{#r}}{{#r}}{{x}}{{/r}}{{/r}}{{/r}}{{/r}}{{/r}}'), { r: rows });
    const abort = new AbortController();
    const reason = new Error('the job was too long');
    setTimeout(() => abort.abort(reason), 500);
    const started = performance.now();
    const thrown = await thrownBy(filler.fill(task, abort.signal));
    expect(thrown).to.equal(reason);
    expect(performance.now() - started).to.be.lessThan(2_000);
    expect(existsSync(task.output)).to.equal(false);
  });

  it('ends also when it was told so while it began', async () => {
    const abort = new AbortController();
    const task = taskOf(p('{{a}}'), {});
    const filled = thrownBy(filler.fill(task, abort.signal));
    abort.abort('at once');
    expect(await filled).to.equal('at once');
    expect(existsSync(task.output)).to.equal(false);
  });

  it('does not begin what was ended before', async () => {
    const thrown = await thrownBy(filler.fill(taskOf(p('{{a}}'), {}), AbortSignal.abort('late')));
    expect(thrown).to.equal('late');
  });

  it('outlives a template that needs more memory than it may have', async () => {
    const task = taskOf(p('{{#rows}}{{text}}{{/rows}}'), { rows: Array(200).fill(0), text: '&'.repeat(500_000) });
    const error = await failed(createTemplateFiller({ memoryMb: 32 }).fill(task, never));
    expect(error.code).to.equal('file_too_large');
    expect(error.detail).to.deep.equal({ limit_mb: 50, subject: 'output', reason: 'memory_limit' });
    expect(existsSync(task.output)).to.equal(false);
  });

  it('refuses a result over the limit', async () => {
    const task = taskOf(p('{{a}}'), { a: 'x' }, { maxOutputBytes: 1024 });
    const error = await failed(filler.fill(task, never));
    expect(error.code).to.equal('file_too_large');
    expect(error.detail).to.deep.equal({ limit_mb: 1024 / (1024 * 1024), subject: 'output' });
    expect(existsSync(task.output)).to.equal(false);
  });

  it('takes data as deep as any body may be', async () => {
    const data = JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`);
    await filler.fill(taskOf(p('{{b}}'), data), never);
  });

  it('overwrites nothing', async () => {
    const task = taskOf(p('{{a}}'), {});
    const thrown = await thrownBy(filler.fill({ ...task, output: task.template }, never));
    expect(thrown).to.have.property('code', 'EEXIST');
    expect(existsSync(task.template)).to.equal(true);
  });

  it('tells a package that cannot be read', async () => {
    const { task, remove } = templateTask(Buffer.from('PK\u0003\u0004 no archive'), {});
    removals.push(remove);
    expect(await failed(filler.fill(task, never))).to.have.property('code', 'corrupt_source');
  });

  it('unpacks no more of a part than the archive declares', async () => {
    const template = docxTemplate({ body: p(`{{a}}${' '.repeat(4_000_000)}`) });
    for (const [header, size] of [
      ['PK\u0003\u0004', 22],
      ['PK\u0001\u0002', 24],
    ] as const) {
      const name = template.indexOf('word/document.xml', template.indexOf(header));
      template.writeUInt32LE(10_000, template.lastIndexOf(header, name, 'latin1') + size);
    }
    const { task, remove } = templateTask(template, {});
    removals.push(remove);
    expect(await failed(filler.fill(task, never))).to.have.property('code', 'corrupt_source');
  });
});
