import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { createTemplateFiller } from '../../../../cmd/docbuilder/template/filler.ts';
import type { TemplateTask } from '../../../../cmd/docbuilder/template/template.ts';
import { paragraphs, templateTask } from '../../../support/filling.ts';
import { docxTemplate, p, table } from '../../../support/templates.ts';

const ROWS = table([[p('{{#rows}}{{a}}'), p('{{b}}'), p('{{c}}{{/rows}}')]]) + p('');
const HOURS = p('{{#r}}{{#r}}{{#r}}{{#r}}{{#r}}{{x}}{{/r}}{{/r}}{{/r}}{{/r}}{{/r}}');
const LONG = { rows: Array(200).fill(0), text: '&'.repeat(500_000) };
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
  const failure = (task: TemplateTask, signal = never, { fill } = filler) => fill(task, signal).catch((error) => error);

  it('writes the document, in a thread of its own, also after data as deep as any body may be', async () => {
    await filler.fill(makeTask(p('{{b}}'), JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)), never);
    const task = makeTask(ROWS, { rows: Array.from({ length: 500 }, (_, index) => ({ a: index, b: 'b', c: 'ữ' })) });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await filler.fill(task, never);
    clearInterval(timer);
    const xml = strFromU8(unzipSync(readFileSync(task.output))['word/document.xml'] ?? new Uint8Array());
    expect(paragraphs(xml)).to.have.lengthOf(1501);
    expect(turns, 'turns of this thread meanwhile').to.be.greaterThan(5);
  });

  it('refuses what is wrong, too large, or no template', async () => {
    const wrong = makeTask(p('{{a}}{{b}}'), { a: 1 }, { missing: 'error' });
    expect(await failure(wrong)).to.have.property('code', 'template_error');
    expect((await failure(wrong)).code).to.equal('EEXIST');
    const large = await failure(makeTask(p('{{a}}'), { a: 'x' }, { maxOutputBytes: 1024 }));
    expect(large).to.deep.include({ code: 'file_too_large', detail: { limit_mb: 1 / 1024, subject: 'output' } });
    for (const template of [Buffer.from('PK\u0003\u0004 no archive'), understated()]) {
      expect(await failure(makeTask(template))).to.have.property('code', 'corrupt_source');
    }
  });

  it('refuses what needs more memory than it may have, and goes on', async () => {
    const error = await failure(makeTask(p('{{#rows}}{{text}}{{/rows}}'), LONG), never, small);
    const detail = { limit_mb: 50, subject: 'output', reason: 'memory_limit' };
    expect(error).to.deep.include({ code: 'file_too_large', detail });
    await small.fill(makeTask(p('a')), never);
  });

  it('ends at once when it is told to, also while it begins and before', async () => {
    for (const wait of [500, 0, -1]) {
      const abort = new AbortController();
      if (wait < 0) abort.abort('ended');
      const started = performance.now();
      const filled = failure(makeTask(HOURS, { r: Array(300).fill(0) }), abort.signal);
      if (wait > 0) await pause(wait);
      abort.abort('ended');
      expect(await filled).to.equal('ended');
      expect(performance.now() - started).to.be.lessThan(2_000);
    }
  });
});
