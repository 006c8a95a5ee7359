import { expect } from 'chai';
import type { TemplateMistake } from '../../../../cmd/docbuilder/template/template.ts';
import { failure, filledBody } from '../../../support/filling.ts';
import { docxTemplate, p, run, splitTag, table } from '../../../support/templates.ts';

const MISSING = 'dữ liệu không có trường này';
const UNCLOSED = 'danh sách không được đóng';
const UNOPENED = 'thẻ đóng một danh sách chưa được mở';
const UNENDED = 'có {{ mà không có }} trong đoạn này';
const NOT_A_LIST = 'chỉ lặp được danh sách; không hỗ trợ điều kiện';
const UNEVEN = 'giữa các thẻ của danh sách này không có đoạn hay hàng nào trọn vẹn';
const UNSAFE = 'số có nhiều chữ số hơn mức JSON giữ được: hãy gửi dưới dạng chuỗi';
const SECRET = 'and this is what the letter says';

/** Tags of other template languages, which would not do what their author expects. */
const FOREIGN: [tag: string, message: string][] = [
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

/** Each mistake as `place paragraph tag message`, and the error's fields where they are told. */
interface Case {
  template: string | Buffer;
  data?: unknown;
  missing?: 'empty' | 'error';
  errors: string[];
  fields?: string[];
}

const CASES: Record<string, Case> = {
  'all missing fields, each once and with its lists, when missing fields are errors': {
    template: docxTemplate({
      body:
        p('{{title}} {{known}} {{title}} {{a.b}}') +
        table([[p('{{#people}}{{name}}'), p('{{#tags}}{{.}}{{label}}{{/tags}}{{/people}}')]]) +
        p('{{#nothing}}{{inside}}{{/nothing}}'),
      header: p('{{title}} {{số}}'),
    }),
    data: { known: null, people: [{ name: 'Lan' }, { tags: [1] }] },
    missing: 'error',
    fields: ['title', 'a.b', 'people.tags', 'people.name', 'people.tags.label', 'nothing', 'số'],
    errors: [
      ...['body 1 {{title}}', 'body 1 {{a.b}}', 'body 3 {{#tags}}', 'body 2 {{name}}', 'body 3 {{label}}'],
      ...['body 4 {{#nothing}}', 'header 1 {{title}}', 'header 1 {{số}}'],
    ].map((place) => `${place} ${MISSING}`),
  },
  'unbalanced lists, in all parts at once, with the place': {
    template: docxTemplate({
      body: p('one') + table([[p('{{#rows}}{{x}}'), p('{{/row}}')]]) + p(splitTag('/end')),
      footer: p('') + p('{{#a}}{{#b}}{{/a}}'),
    }),
    fields: ['rows', 'row', 'end', 'b'],
    errors: [
      ...[`body 2 {{#rows}} ${UNCLOSED}`, `body 3 {{/row}} ${UNOPENED}`],
      ...[`body 4 {{/end}} ${UNOPENED}`, `footer 2 {{#b}} ${UNCLOSED}`],
    ],
  },
  'tags that do not end in their paragraph, told by their first word and no further text': {
    template:
      p(`{{name ${SECRET}`) + p(`${run('{{#list')}${run(` ${SECRET} {{x}}`)}`) + p(`${SECRET} }}`) + p('{') + p('{'),
    fields: ['name', 'list'],
    errors: [`body 1 {{name ${UNENDED}`, `body 2 {{#list ${UNENDED}`, 'body 3 }} có }} mà không có {{ trong đoạn này'],
  },
  'tags of other template languages': {
    template: FOREIGN.map(([tag]) => p(tag.replace(/&/g, '&amp;').replace(/</g, '&lt;'))).join(''),
    data: { x: 1, raw: '<w:p/>', '@raw': '<w:p/>' },
    errors: FOREIGN.map(([tag, message], index) => `body ${index + 1} ${tag} ${message}`),
  },
  ...Object.fromEntries(
    [true, false, 0, 'yes', { a: 1 }].map((flag): [string, Case] => {
      const errors = [`body 1 {{#flag}} ${NOT_A_LIST}`];
      return [
        `a list made of ${JSON.stringify(flag)}: there are no conditions`,
        { template: p('{{#flag}}x{{/flag}}'), data: { flag }, fields: ['flag'], errors },
      ];
    }),
  ),
  ...Object.fromEntries(
    ['9007199254740993', '-12345678901234567890', '1e400'].map((digits): [string, Case] => {
      const data = JSON.parse(`{"account": ${digits}}`);
      const errors = [`body 1 {{account}} ${UNSAFE}`];
      return [`digits that JSON does not keep: ${digits}`, { template: p('{{account}}'), data, errors }];
    }),
  ),
  'lists that begin and end where nothing whole stands between': {
    template: p('{{#a}}') + table([[p('{{/a}}'), p('x')]]) + p(''),
    data: { a: [1] },
    fields: ['a'],
    errors: [`body 1 {{#a}} ${UNEVEN}`, `body 2 {{/a}} ${UNEVEN}`],
  },
};

describe('mistakes in a template', () => {
  for (const [what, { template, data = {}, missing = 'empty', fields, errors }] of Object.entries(CASES)) {
    it(`are ${what}`, async () => {
      const { code, detail } = await failure(template, data, missing);
      expect(code).to.equal('template_error');
      const found = detail['errors'] as TemplateMistake[];
      const lines = found.map(({ place, paragraph, tag, message }) => `${place} ${paragraph} ${tag} ${message}`);
      expect(lines).to.deep.equal(errors);
      if (fields) expect(detail['fields']).to.deep.equal(fields);
      expect(JSON.stringify(detail)).to.not.contain('letter');
    });
  }

  it('name the part, and are fields as well where lists and objects stand for a text', async () => {
    const { detail } = await failure(docxTemplate({ body: '', header: p('{{#a}}') }), {});
    expect(detail['errors']).to.have.nested.property('[0].part', 'word/header1.xml');
    const wrong = await failure(p('{{a}}{{b}}{{#c}}{{.}}{{/c}}{{.}}'), { a: {}, b: [1], c: [[1]] });
    expect(wrong.detail['fields']).to.deep.equal(['a', 'b', 'c..', '.']);
  });

  it('are lists nested deeper than anybody would', async () => {
    const tags = Array.from({ length: 40 }, (_, depth) => `{{#a${depth}}}`).join('');
    const { detail } = await failure(p(tags), {});
    const [{ tag, message } = { tag: '', message: '' }] = detail['errors'] as TemplateMistake[];
    expect([tag, message]).to.deep.equal(['{{#a32}}', 'danh sách lồng nhau quá sâu']);
  });

  const NAMES = [
    '1+1',
    'a||b',
    'a | upper',
    'process.exit(1)',
    'constructor.constructor("return 1")()',
    '$x',
    '-w:p a',
  ];
  for (const [what, body, data, missing, expected] of [
    ['fields that are null or an empty list', p('{{a}}{{#b}}{{c}}{{/b}}'), { a: null, b: [] }, 'error', ['']],
    [
      'numbers that JSON keeps',
      p('{{#kept}}{{.}} {{/kept}}'),
      { kept: [9007199254740991, -9007199254740991, 0.1, 12345678.9] },
      'empty',
      ['9007199254740991 -9007199254740991 0.1 12345678.9 '],
    ],
    [
      'names that look like expressions',
      NAMES.map((name) => p(`{{${name}}}`)).join(''),
      { a: 1, b: 2 },
      'empty',
      NAMES.map(() => ''),
    ],
    ['such names with data', p('{{1+1}}{{a||b}}'), { '1+1': 'own ', 'a||b': 'names' }, 'empty', ['own names']],
  ] as const) {
    it(`are not ${what}`, async () => expect(await filledBody(body, data, missing)).to.deep.equal(expected));
  }

  it('are a corrupt source when a part is no XML', async () => {
    const doctype = '<!DOCTYPE x [<!ENTITY e "{{a}}">]><x/>';
    const parts = ['<w:document', '<a><b></a>', doctype, '<w:p/>', '<x xmlns:w="urn:x"><w:p/></x>'];
    const broken = parts.map((xml) => docxTemplate({ body: '', extra: { 'word/document.xml': xml } }));
    for (const template of [...broken, Buffer.from('PK')]) {
      expect(await failure(template, {})).to.have.property('code', 'corrupt_source');
    }
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
