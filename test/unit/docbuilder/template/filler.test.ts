import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { createTemplateFiller } from '../../../../cmd/docbuilder/template/filler.ts';
import type { TemplateTask } from '../../../../cmd/docbuilder/template/template.ts';
import { paragraphs, templateTask } from '../../../support/filling.ts';
import { docxTemplate, p, table } from '../../../support/templates.ts';

const ROWS = table([[p('{{#rows}}{{a}}'), p('{{b}}'), p('{{c}}{{/rows}}')]]) + p('');
const HOURS = p('{{#r}}{{#r}}{{#r}}{{#r}}{{#r}}{{x}}{{/r}}{{/r}}{{/r}}{{/r}}{{/r}}');
const never = new AbortController().signal;

/** A template one of whose parts is larger than its archive declares. */
function understated(): Buffer {
  const template = docxTemplate({ body: p(`{{a}}${' '.repeat(4_000_000)}`) });
  for (const [header, size] of [
    ['PK\u0003\u0004', 22],
    ['PK\u0001\u0002', 24],
  ] as const) {
    const name = template.indexOf('word/document.xml', template.indexOf(header));
    template.writeUInt32LE(10_000, template.lastIndexOf(header, name, 'latin1') + size);
  }
  return template;
}

describe('a filler of templates', () => {
  const filler = createTemplateFiller();
  const small = createTemplateFiller(32);
  after(() => Promise.all([filler.stop(), small.stop()]));
  const removals: (() => void)[] = [];
  afterEach(() => {
    for (const remove of removals.splice(0)) remove();
  });

  function makeTask(template: string | Buffer, data: unknown = {}, options: Partial<TemplateTask> = {}): TemplateTask {
    const bytes = typeof template === 'string' ? docxTemplate({ body: template }) : template;
    const { task, remove } = templateTask(bytes, data, options);
    removals.push(remove);
    return task;
  }

  it('writes the document, in a thread of its own', async () => {
    const task = makeTask(ROWS, { rows: Array.from({ length: 500 }, (_, index) => ({ a: index, b: 'b', c: 'ữ' })) });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await filler.fill(task, never);
    clearInterval(timer);
    const xml = strFromU8(unzipSync(readFileSync(task.output))['word/document.xml'] ?? new Uint8Array());
    expect(paragraphs(xml)).to.have.lengthOf(1501);
    expect(turns, 'turns of this thread meanwhile').to.be.greaterThan(5);
  });

  for (const [what, task, code, detail] of [
    ['is wrong', () => makeTask(p('{{a}}{{b}}'), { a: 1 }, { missing: 'error' }), 'template_error', { fields: ['b'] }],
    [
      'needs more memory than it may have',
      () => makeTask(p('{{#rows}}{{text}}{{/rows}}'), { rows: Array(200).fill(0), text: '&'.repeat(500_000) }),
      'file_too_large',
      { limit_mb: 50, subject: 'output', reason: 'memory_limit' },
    ],
    [
      'becomes too large',
      () => makeTask(p('{{a}}'), { a: 'x' }, { maxOutputBytes: 1024 }),
      'file_too_large',
      { limit_mb: 1024 / (1024 * 1024), subject: 'output' },
    ],
    ['cannot be read', () => makeTask(Buffer.from('PK\u0003\u0004 no archive')), 'corrupt_source', {}],
    ['unpacks to more than its archive declares', () => makeTask(understated()), 'corrupt_source', {}],
  ] as const) {
    it(`refuses a template that ${what}`, async () => {
      const { fill } = what.includes('memory') ? small : filler;
      const error = await fill(task(), never).catch((thrown) => thrown);
      expect(error).to.have.property('code', code);
      expect(error.detail).to.deep.include(detail);
    });
  }

  for (const [when, template, data] of [
    ['when told to', HOURS, { r: Array(300).fill(0) }],
    ['when it was told so while it began', p('{{a}}'), {}],
    ['before it begins', p('{{a}}'), {}],
  ] as const) {
    it(`ends at once ${when}`, async () => {
      const task = makeTask(template, data);
      const abort = new AbortController();
      if (when === 'before it begins') abort.abort('ended');
      const started = performance.now();
      const filled = filler.fill(task, abort.signal).catch((thrown) => thrown);
      if (template === HOURS) await pause(500);
      abort.abort('ended');
      expect(await filled).to.equal('ended');
      expect(performance.now() - started).to.be.lessThan(2_000);
    });
  }

  it('takes data as deep as any body may be', async () => {
    const data = JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`);
    await filler.fill(makeTask(p('{{b}}'), data), never);
  });

  it('overwrites nothing', async () => {
    const task = makeTask(p('{{a}}'));
    const error = await filler.fill({ ...task, output: task.template }, never).catch((thrown) => thrown);
    expect(error).to.have.property('code', 'EEXIST');
    expect(existsSync(task.template)).to.equal(true);
  });
});
