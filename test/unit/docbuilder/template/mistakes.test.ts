import { expect } from 'chai';
import type { TemplateMistake } from '../../../../cmd/docbuilder/template/template.ts';
import { failure, filledBody } from '../../../support/filling.ts';
import { docxTemplate, p, run, splitTag, table } from '../../../support/templates.ts';

/** The error's fields, and each mistake as `place paragraph tag message`. */
async function mistakes(
  template: string | Buffer,
  data: unknown = {},
  missing: 'empty' | 'error' = 'empty',
): Promise<{ fields: unknown; errors: string[] }> {
  const { code, detail } = await failure(template, data, missing);
  expect(code).to.equal('template_error');
  const errors = detail['errors'] as TemplateMistake[];
  return {
    fields: detail['fields'],
    errors: errors.map(({ place, paragraph, tag, message }) => `${place} ${paragraph} ${tag} ${message}`),
  };
}

describe('mistakes in a template', () => {
  it('are all missing fields, each once and with its lists, when missing fields are errors', async () => {
    const template = docxTemplate({
      body:
        p('{{title}} {{known}} {{title}} {{a.b}}') +
        table([[p('{{#people}}{{name}}'), p('{{#tags}}{{.}}{{label}}{{/tags}}{{/people}}')]]) +
        p('{{#nothing}}{{inside}}{{/nothing}}'),
      header: p('{{title}} {{số}}'),
    });
    const data = { known: null, people: [{ name: 'Lan' }, { tags: [1] }] };
    expect(await mistakes(template, data, 'error')).to.deep.equal({
      fields: ['title', 'a.b', 'people.tags', 'people.name', 'people.tags.label', 'nothing', 'số'],
      errors: [
        'body 1 {{title}} dữ liệu không có trường này',
        'body 1 {{a.b}} dữ liệu không có trường này',
        'body 3 {{#tags}} dữ liệu không có trường này',
        'body 2 {{name}} dữ liệu không có trường này',
        'body 3 {{label}} dữ liệu không có trường này',
        'body 4 {{#nothing}} dữ liệu không có trường này',
        'header 1 {{title}} dữ liệu không có trường này',
        'header 1 {{số}} dữ liệu không có trường này',
      ],
    });
  });

  it('are no missing fields when there are none', async () => {
    expect(await filledBody(p('{{a}}{{#b}}{{c}}{{/b}}'), { a: null, b: [] }, 'error')).to.deep.equal(['']);
  });

  it('are unbalanced lists, in all parts at once, with the place', async () => {
    const template = docxTemplate({
      body: p('one') + table([[p('{{#rows}}{{x}}'), p('{{/row}}')]]) + p(splitTag('/end')),
      footer: p('') + p('{{#a}}{{#b}}{{/a}}'),
    });
    expect(await mistakes(template)).to.deep.equal({
      fields: ['rows', 'row', 'end', 'b'],
      errors: [
        'body 2 {{#rows}} danh sách không được đóng',
        'body 3 {{/row}} thẻ đóng một danh sách chưa được mở',
        'body 4 {{/end}} thẻ đóng một danh sách chưa được mở',
        'footer 2 {{#b}} danh sách không được đóng',
      ],
    });
  });

  it('name the part', async () => {
    const { detail } = await failure(docxTemplate({ body: '', header: p('{{#a}}') }), {});
    expect(detail['errors']).to.have.nested.property('[0].part', 'word/header1.xml');
  });

  it('are tags that do not end in their paragraph, told by their first word and no further text', async () => {
    const secret = 'and this is what the letter says';
    const body =
      p(`{{name ${secret}`) + p(`${run('{{#list')}${run(` ${secret} {{x}}`)}`) + p(`${secret} }}`) + p('{') + p('{');
    const found = await mistakes(body);
    expect(found.errors).to.deep.equal([
      'body 1 {{name có {{ mà không có }} trong đoạn này',
      'body 2 {{#list có {{ mà không có }} trong đoạn này',
      'body 3 }} có }} mà không có {{ trong đoạn này',
    ]);
    expect(found.fields).to.deep.equal(['name', 'list']);
    expect(JSON.stringify(await failure(body, {}))).to.not.contain('letter');
  });

  const others: [tag: string, message: string][] = [
    ['{{^if}}', 'không hỗ trợ điều kiện'],
    ['{{@raw}}', 'không hỗ trợ XML thô'],
    ['{{&x}}', 'không hỗ trợ giá trị không thoát ký tự'],
    ['{{{x}}', 'không hỗ trợ giá trị không thoát ký tự'],
    ['{{>part}}', 'không hỗ trợ mẫu con'],
    ['{{<x}}', 'không hỗ trợ mẫu con'],
    ['{{!note}}', 'không hỗ trợ chú thích trong thẻ'],
    ['{{={ }=}}', 'không hỗ trợ dấu phân cách khác'],
    ...['{{}}', '{{ }}', '{{#}}', '{{/}}'].map((tag): [string, string] => [tag, 'thẻ không có tên']),
  ];
  it('are tags of other template languages, which would not do what their author expects', async () => {
    const body = others.map(([tag]) => p(tag.replace(/&/g, '&amp;').replace(/</g, '&lt;'))).join('');
    const { errors } = await mistakes(body, { x: 1, raw: '<w:p/>', '@raw': '<w:p/>' });
    expect(errors).to.deep.equal(others.map(([tag, message], index) => `body ${index + 1} ${tag} ${message}`));
  });

  it('are lists made of something else: there are no conditions', async () => {
    for (const value of [true, false, 0, 'yes', { a: 1 }]) {
      const { fields, errors } = await mistakes(p('{{#flag}}x{{/flag}}'), { flag: value });
      expect(fields).to.deep.equal(['flag']);
      expect(errors).to.deep.equal(['body 1 {{#flag}} chỉ lặp được danh sách; không hỗ trợ điều kiện']);
    }
  });

  it('are lists and objects where a text is due', async () => {
    const { fields } = await mistakes(p('{{a}}{{b}}{{#c}}{{.}}{{/c}}{{.}}'), { a: {}, b: [1], c: [[1]] });
    expect(fields).to.deep.equal(['a', 'b', 'c..', '.']);
  });

  it('are numbers whose last digits JSON does not keep', async () => {
    const { kept, lost } = JSON.parse(
      '{"kept": [9007199254740991, -9007199254740991, 0.1, 12345678.9], "lost": [9007199254740993, -12345678901234567890, 1e400]}',
    );
    expect(await filledBody(p('{{#kept}}{{.}} {{/kept}}'), { kept })).to.deep.equal([
      '9007199254740991 -9007199254740991 0.1 12345678.9 ',
    ]);
    for (const number of lost) {
      const { fields, errors } = await mistakes(p('{{account}}'), { account: number });
      expect(fields).to.deep.equal(['account']);
      expect(errors).to.deep.equal([
        'body 1 {{account}} số có nhiều chữ số hơn mức JSON giữ được: hãy gửi dưới dạng chuỗi',
      ]);
    }
  });

  it('are lists that begin and end where nothing whole stands between', async () => {
    const { fields, errors } = await mistakes(p('{{#a}}') + table([[p('{{/a}}'), p('x')]]) + p(''), { a: [1] });
    expect(fields).to.deep.equal(['a']);
    const message = 'giữa các thẻ của danh sách này không có đoạn hay hàng nào trọn vẹn';
    expect(errors).to.deep.equal([`body 1 {{#a}} ${message}`, `body 2 {{/a}} ${message}`]);
  });

  it('are lists nested deeper than anybody would', async () => {
    const tags = Array.from({ length: 40 }, (_, depth) => `{{#a${depth}}}`).join('');
    expect((await mistakes(p(tags))).errors[0]).to.equal('body 1 {{#a32}} danh sách lồng nhau quá sâu');
  });

  it('are not expressions: what looks like one is a name', async () => {
    const names = [
      '1+1',
      'a||b',
      'a | upper',
      'process.exit(1)',
      'constructor.constructor("return 1")()',
      '$x',
      '-w:p a',
    ];
    const body = names.map((name) => p(`{{${name}}}`)).join('');
    expect(await filledBody(body, { a: 1, b: 2 })).to.deep.equal(names.map(() => ''));
    expect(await filledBody(p('{{1+1}}{{a||b}}'), { '1+1': 'own ', 'a||b': 'names' })).to.deep.equal(['own names']);
  });

  it('are a corrupt source when a part is no XML', async () => {
    for (const broken of ['<w:document', '<a><b></a>', `<!DOCTYPE x [<!ENTITY e "{{a}}">]><x/>`, '<w:p/>']) {
      const template = docxTemplate({ body: '', extra: { 'word/document.xml': broken } });
      expect(await failure(template, {})).to.have.property('code', 'corrupt_source');
    }
    expect(await failure(Buffer.from('PK'), {})).to.have.property('code', 'corrupt_source');
    const other = docxTemplate({ body: '', extra: { 'word/document.xml': '<x xmlns:w="urn:x"><w:p/></x>' } });
    expect(await failure(other, {})).to.have.property('code', 'corrupt_source');
  });

  it('stay within what an answer can carry', async () => {
    const tags = Array.from({ length: 12_000 }, (_, index) => `{{f${index}}}`).join('');
    const { detail } = await failure(p(tags), {}, 'error');
    expect(detail['fields']).to.have.lengthOf(10_000);
    expect(detail['errors']).to.have.lengthOf(1_000);
    const [first] = (await failure(p(`{{${'x'.repeat(5000)}}}`), {}, 'error')).detail['errors'] as TemplateMistake[];
    expect(first?.tag.length).to.be.lessThan(200);
  });
});
