import { expect } from 'chai';
import { failure, fill, filledBody, paragraphs } from '../support/filling.ts';
import { processorTime } from '../support/processor-time.ts';
import { p, table } from '../support/templates.ts';

describe('attacks on templates', () => {
  it('fields named like members of every object do not reach them', async () => {
    const members = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const names = [...members, 'constructor.name', '__proto__.x', 'a.length', 's.length'];
    const body = p(names.map((name) => `{{${name}}}`).join('|'));
    expect(await filledBody(body, { a: [1], s: 'text' })).to.deep.equal(['|'.repeat(names.length - 1)]);
    const { detail } = await failure(body, { a: [1], s: 'text' }, 'error');
    expect(detail['fields']).to.deep.equal(names);
    const lists = p('{{#constructor}}x{{/constructor}}{{#__proto__}}x{{/__proto__}}{{#a.map}}x{{/a.map}}');
    expect(await filledBody(lists, { a: [1] })).to.deep.equal(['']);
  });

  it('data with such names is data', async () => {
    const data = JSON.parse('{"__proto__": {"x": "own"}, "constructor": "c", "a": [{"__proto__": "p"}]}');
    expect(await filledBody(p('{{__proto__.x}} {{constructor}} {{#a}}{{__proto__}}{{/a}}'), data)).to.deep.equal([
      'own c p',
    ]);
    expect(({} as Record<string, unknown>)['x']).to.equal(undefined);
  });

  it('values cannot become markup, in whatever tag', async () => {
    const value = '</w:t></w:r><w:r><w:instrText>INCLUDETEXT</w:instrText></w:r>]]><!--&#x3c;x&#x3e;';
    for (const tag of ['{{x}}', '{{#l}}{{.}}{{/l}}']) {
      const { 'word/document.xml': xml } = await fill(p(tag), { x: value, l: [value] });
      expect(paragraphs(xml)).to.deep.equal([value]);
    }
    for (const tag of ['{{@x}}', '{{@@x}}', '{{ @x }}', '{{&amp;x}}', '{{{x}}}', '{{\u00a0@x}}', '{{!x}}']) {
      expect(await failure(p(tag), { x: value, '@x': value })).to.have.property('code', 'template_error');
    }
    // A no-break space, or a sign of the library behind: names without meaning.
    for (const tag of ['{{-w:p x}}', '{{%x}}', '{{~x}}', '{{*x}}', '{{x | raw}}']) {
      expect(await filledBody(p(tag), { x: value })).to.deep.equal(['']);
    }
  });

  it('numbers as names are fields, not places in a list of tags', async () => {
    expect(await filledBody(p('{{0}}{{1}}{{#2}}{{0}}{{/2}}'), { 0: 'a', 1: 'b', 2: [{ 0: 'c' }] })).to.deep.equal([
      'abc',
    ]);
    expect(await filledBody(p('{{b}}{{0}}'), { b: 'x' })).to.deep.equal(['x']);
  });

  it('braces that stand in two paragraphs, attributes or other text make no tag', async () => {
    const other = '<w:r><w:instrText>{{x}}</w:instrText></w:r><w:r><w:delText>{{x}}</w:delText></w:r>';
    const body = p('a{') + p('{x}') + p('}') + p(other) + p('', '<w:pStyle w:val="{{x}}"/>') + p('{{y}}');
    const { 'word/document.xml': xml = '' } = await fill(body, { x: 'EVIL', y: 'y' });
    expect(paragraphs(xml)).to.deep.equal(['a{', '{x}', '}', '', '', 'y']);
    expect(xml).to.not.contain('EVIL');
  });

  it('text that reads like an encoded brace makes no tag', async () => {
    expect(await filledBody(p('&amp;#123;&amp;#123;x} }') + p('{{y}}'), { x: 1, y: 2 })).to.deep.equal([
      '&#123;&#123;x} }',
      '2',
    ]);
  });

  it('a list repeated within itself ends with an error, not with the memory', async () => {
    const value = 'x'.repeat(1_000_000);
    const rows = Array.from({ length: 100 }, () => 0);
    const body = p('{{#a}}{{#a}}{{v}}{{/a}}{{/a}}');
    const error = await failure(body, { a: rows, v: value });
    expect(error.code).to.equal('file_too_large');
    expect(error.detail).to.deep.include({ subject: 'output', reason: 'memory_limit' });
  });

  it('thousands of tags and lists cost no more than their number', async function () {
    this.timeout(120_000);
    const many = (tag: (index: number) => string): string =>
      Array.from({ length: 8_000 }, (_, index) => tag(index)).join('');
    const spent = processorTime();
    await failure(p(many((index) => `{{#a${index}}}`) + many((index) => `{{/b${index}}}`)), {});
    await failure(p('{{'.repeat(20_000)), {});
    await failure(p('}}'.repeat(20_000)), {});
    await fill(p(many((index) => `{{a${index}}}`)), {});
    await fill(p('{{a}}'.repeat(60_000)), {});
    await fill(many((index) => p(`{{a${index}`)).replaceAll('{{', '{ ') + p('{{x}}'), {});
    await fill(table([[p(many(() => '{{#a}}{{/a}}').slice(0, 12 * 1_000))]]) + p(''), {});
    expect(spent()).to.be.lessThan(5_000);
  });

  it('elements in elements without end are refused before they cost anything', async () => {
    const deep = (depth: number) => p('{{x}}', `${'<w:a>'.repeat(depth)}${'</w:a>'.repeat(depth)}`);
    expect(await filledBody(deep(200), { x: 'y' })).to.deep.equal(['y']);
    const spent = processorTime();
    expect(await failure(deep(30_000), {})).to.deep.include({
      code: 'corrupt_source',
      detail: { reason: 'malformed_xml' },
    });
    expect(spent()).to.be.lessThan(1_000);
  });
});
