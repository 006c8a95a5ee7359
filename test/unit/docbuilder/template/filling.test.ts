import { expect } from 'chai';
import fc from 'fast-check';
import type { TemplateMistake } from '../../../../cmd/docbuilder/template/template.ts';
import { failure, fill, filledBody, paragraphs } from '../../../support/filling.ts';
import { processorTime } from '../../../support/processor-time.ts';
import * as templates from '../../../support/templates.ts';

const { docxTemplate, p, run, splitTag, table, textBox } = templates;
const DOCUMENT = 'word/document.xml';
const row = (list: string) => [p(`{{#${list}}}{{name}}`), p(`{{/${list}}}`)];
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const EXPRESSIONS = ['1+1', 'a||b', 'a | upper', 'process.exit(1)', 'constructor.constructor("return 1")()', '-w:p a'];

const DATA = {
  ...{ text: 'một', number: 1234.5, no: false, nil: null, zero: 0, a: 1, b: 2, none: [] },
  kept: [9007199254740991, -9007199254740991, 0.1, 12345678.9],
  ...{ 'họ tên': 'Lan', 'a.b': 'key', 'xin chào': { bạn: 'Minh' }, customer: { address: { city: 'Huế' } } },
  ...{ ['đã lâu'.normalize('NFD')]: 'rồi', '2+2': 'own ', 'b||a': 'names' },
  ...{ tags: [{ x: '{{y}}{{/tags}}' }], y: '{{#tags}}{{1}}', 1: 'no', grid: [[1, 2], [3]] },
  ...{ team: 'T', age: 'outer', crew: [{ name: 'Lan', team: 'own' }], elders: [{ name: 'Minh', age: null }] },
  people: [
    { name: 'Lan', age: 30 },
    { name: 'Minh', age: 41 },
  ],
  teams: [
    { name: 'A', members: ['x', 2, true, null] },
    { name: 'B', members: [] },
  ],
};
const PERSON = '{{name}}-{{team}}-{{age}};';

const TEXTS: [template: string, filled: string][] = [
  ['{{text}} {{number}} {{no}} [{{nil}}] {{zero}}', 'một 1234.5 false [] 0'],
  ['{{#kept}}{{.}} {{/kept}}', '9007199254740991 -9007199254740991 0.1 12345678.9 '],
  ['{{customer.address.city}}|{{ họ tên }}|{{a.b}}|{{xin chào.bạn}}', 'Huế|Lan|key|Minh'],
  [`{{${'họ tên'.normalize('NFD')}}} {{đã lâu}}`, 'Lan rồi'],
  // Names are no expressions, but may look like one.
  [EXPRESSIONS.map((name) => `{{${name}}}`).join(''), ''],
  ['{{2+2}}{{b||a}}', 'own names'],
  ['[{{nobody}}][{{a.b.c}}]', '[][]'],
  // Tags in values are not tags.
  ['{{#tags}}{{x}}{{/tags}}{{y}}', '{{y}}{{/tags}}{{#tags}}{{1}}'],
  // Names are looked up in the item first, then outwards; null is found.
  [`{{#crew}}${PERSON}{{/crew}}{{#elders}}${PERSON}{{/elders}}`, 'Lan-own-outer;Minh-T-;'],
  ['{{#teams}}{{name}}:{{#members}}{{.}},{{/members}} {{/teams}}', 'A:x,2,true,, B: '],
  ['{{#grid}}{{#.}}{{.}}{{/.}}|{{/grid}}', '12|3|'],
];

const BODIES: Record<string, [body: string, ...paragraphs: string[]]> = {
  'text around tags, single braces and spaces stay': [
    p(run('{ a } {x') + run('{{a}}', '<w:i/>') + run('} }')) + p('{') + p('{n} } b { {}') + p('{{a}}}'),
    ...['{ a } {x1} }', '{', '{n} } b { {}', '1}'],
  ],
  'a row in which a list begins and ends is repeated': [
    table([
      [p('Tên'), p('Tuổi')],
      [p(run('{{#people}}') + splitTag('name')), p('{{age}}{{/people}}')],
      [p('Hết'), p('')],
    ]),
    ...['Tên', 'Tuổi', 'Lan', '30', 'Minh', '41', 'Hết', ''],
  ],
  'rows are repeated when a list begins in one and ends in another': [
    table([
      [p('{{#people}}{{name}}'), p('1')],
      [p('{{age}}'), p('2{{/people}}')],
    ]),
    ...['Lan', '1', '30', '2', 'Minh', '1', '41', '2'],
  ],
  'paragraphs between tags that stand alone are repeated, and the tags go with their paragraphs': [
    p('before') + p(run(' ') + splitTag('#people')) + p('– {{name}}') + p('{{/people}} ') + p('after'),
    ...['before', '– Lan', '– Minh', 'after'],
  ],
  'text within a paragraph or a cell is repeated': [
    p('{{#people}}{{name}}, {{/people}}…') + table([[p('{{#people}}{{name}};{{/people}}')]]) + p(''),
    ...['Lan, Minh, …', 'Lan;Minh;', ''],
  ],
  'a row holds a table of its own': [
    table([[p('{{#grid}}row') + table([[p('{{#.}}{{.}}'), p('{{/.}}')]]) + p(''), p('{{/grid}}')]]),
    ...['row', '1', '', '2', '', '', '', 'row', '3', '', '', ''],
  ],
};

const LANDSCAPE = '<w:sectPr><w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/></w:sectPr>';
const NEXT_PAGE = '<w:sectPr><w:type w:val="nextPage"/></w:sectPr>';

/** Two paragraphs with tags, of which one ends a section, and `{{name}}` between them; behind which text it ends. */
const SECTIONS: Record<string, [opening: string, closing: string, section: string, ends: string, with0: string]> = {
  'at the end of a list': [p('{{#list}}'), p('{{/list}}', LANDSCAPE), LANDSCAPE, 'before,Lan,Minh,', 'before,'],
  'with spaces around a tag that Word split': [
    p('{{#list}}'),
    p(run(' ') + splitTag('/list') + run(' '), LANDSCAPE),
    ...([LANDSCAPE, 'before,Lan,Minh,', 'before,'] as const),
  ],
  'at the beginning of a list': [p('{{#list}}', NEXT_PAGE), p('{{/list}}'), NEXT_PAGE, 'before,', 'before,'],
};

const LISTS = p('{{#none}}') + p('{{.}}') + p('{{/none}}');
const control = (content: string) => `<w:sdt><w:sdtPr/><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
const GOING = `<w:tr><w:tc>${p('{{#none}}{{.}}')}</w:tc><w:tc>${p('{{/none}}')}</w:tc></w:tr>`;
const STAYING = '<w:tr><w:tc><w:p/></w:tc></w:tr>';
const makeTable = (...rows: string[]) => `<w:tbl><w:tblPr/><w:tblGrid/>${rows.join('')}</w:tbl>`;

/** Containers of nothing but a list without items: as written, and as filled. */
const EMPTIED: Record<string, [written: string, filled: string]> = {
  'a content control of rows goes': [makeTable(control(GOING), STAYING), makeTable(STAYING)],
  'a control of rows in another one goes with it': [makeTable(control(control(GOING)), STAYING), makeTable(STAYING)],
  'a control of rows stays if one of its rows does': [
    makeTable(control(control(GOING) + control(STAYING))),
    makeTable(control(control(STAYING))),
  ],
  'a table goes with its last control of rows': [makeTable(control(GOING)), ''],
  'a control of paragraphs gets one': [control(LISTS), control('<w:p></w:p>')],
  'a cell gets a paragraph': [
    makeTable(`<w:tr><w:tc>${LISTS}</w:tc></w:tr>`),
    makeTable('<w:tr><w:tc><w:p/></w:tc></w:tr>'),
  ],
  'a text box gets a paragraph': [p(textBox(LISTS)), p(textBox('<w:p/>', 1))],
  'a text box whose table goes gets a paragraph': [p(textBox(makeTable(GOING))), p(textBox('<w:p/>', 1))],
};

describe('filling a template', () => {
  for (const [what, [written, filled]] of Object.entries(EMPTIED)) {
    it(`with an empty list, ${what}`, async () => {
      const { [DOCUMENT]: xml } = await fill(p('{{text}}') + written, { ...DATA, none: [] });
      expect(xml).to.contain(`<w:body>${p(run('một'))}${filled}<w:sectPr>`);
    });
  }

  it('with an empty list, headers, footers and notes get a paragraph', async () => {
    const parts = { header: LISTS, footer: makeTable(GOING), footnotes: [LISTS, p('1')], endnotes: [LISTS] };
    const filled = await fill(docxTemplate({ body: p(''), ...parts }), { none: [] });
    expect(filled['word/header1.xml']).to.match(/<w:hdr [^>]*><w:p\/><\/w:hdr>$/);
    expect(filled['word/footer2.xml']).to.match(/<w:ftr [^>]*><w:p\/><\/w:ftr>$/);
    expect(filled['word/footnotes.xml']).to.contain(`<w:footnote w:id="1"><w:p/></w:footnote>`).and.contain(p('1'));
    expect(filled['word/endnotes.xml']).to.contain(`<w:endnote w:id="1"><w:p/></w:endnote>`);
  });

  for (const [where, [opening, closing, section, ends, withNone]] of Object.entries(SECTIONS)) {
    it(`a section that ends ${where} stays`, async () => {
      const body = p('before') + opening + p('{{name}}') + closing + p('after');
      for (const [list, expected] of [
        [DATA.people, ends],
        [[], withNone],
      ] as const) {
        const { [DOCUMENT]: xml = '' } = await fill(body, { list });
        const [first = '', second] = xml.split(section);
        expect(second, xml).to.be.a('string').and.not.contain(section);
        // The section's last paragraph is empty.
        expect(paragraphs(`${first}</w:pPr></w:p></w:body></w:document>`).join()).to.equal(expected);
        expect(xml).to.not.contain('type="page"');
      }
    });
  }

  it('a break that stays does not count as a paragraph', async () => {
    const body = p('{{#a}}', LANDSCAPE) + p('{{/a}}', LANDSCAPE) + p('{{b}}');
    const errors = (await failure(body, { a: [] }, 'error')).detail['errors'] as TemplateMistake[];
    expect(errors.map(({ tag, paragraph }) => [tag, paragraph])).to.deep.equal([['{{b}}', 3]]);
  });

  for (const [template, filled] of TEXTS) {
    it(`${template}: ${filled}`, async () => expect(await filledBody(p(template), DATA)).to.deep.equal([filled]));
  }
  for (const [what, [body, ...expected]] of Object.entries(BODIES)) {
    it(what, async () => expect(await filledBody(body, DATA)).to.deep.equal(expected));
  }

  it('a row goes with its list, and a table with its last row', async () => {
    for (const list of ['none', 'nil', 'missing']) {
      const body = table([[p('a'), p('b')], row(list)]) + p('end');
      expect(await filledBody(body, DATA), list).to.deep.equal(['a', 'b', 'end']);
    }
    expect((await fill(table([row('none')]) + p('end'), DATA))[DOCUMENT]).to.not.contain('<w:tbl>');
  });

  it('a name takes no longer to look for than it is long', async () => {
    const spent = processorTime();
    expect(await filledBody(p(`[{{a${'\u0301\u0323'.repeat(60_000)}}}]`), {})).to.deep.equal(['[]']);
    expect(spent()).to.be.lessThan(2000);
  });

  it('a tag that Word split over runs has the formatting of its first run', async () => {
    const body = p(run('Chào ') + splitTag('tên', '<w:b/>') + run('!'));
    const { [DOCUMENT]: xml = '' } = await fill(body, { tên: 'Lan' });
    expect(paragraphs(xml)).to.deep.equal(['Chào Lan!']);
    expect(xml).to.contain('<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">Lan</w:t>');
  });

  it('body, tables in tables, headers, footers, notes and both forms of a text box are filled; comments stay', async () => {
    const filled = await fill(
      docxTemplate({
        body:
          table([[p('{{n}} outer') + table([[p('{{n}} inner')]]) + p('')]]) +
          p(run('{{n}} box ') + textBox(p('{{n}} in box'))) +
          p(templates.footnote(1) + templates.endnote(1)),
        ...{ header: p('{{n}} header'), firstHeader: p('{{n}} first'), evenHeader: p('{{n}} even') },
        ...{ footer: p('{{n}} footer'), footnotes: [p('{{n}} footnote')], endnotes: [p('{{n}} endnote')] },
        comments: [p('{{n}} comment')],
      }),
      { n: 'N' },
    );
    const texts = Object.entries(filled).filter(([name]) => /^word\/[^/]+\.xml$/.test(name));
    const all = texts.flatMap(([, xml]) => paragraphs(xml)).filter((text) => text !== '');
    const whole = ['N outer', 'N inner', 'N in box', 'N in box', 'N box ', 'N header', 'N first', 'N even', 'N footer'];
    expect(all).to.have.members([...whole, 'N footnote', 'N endnote', '{{n}} comment']);
  });

  it('line breaks and tabs are written as Word does, in the same run', async () => {
    const { [DOCUMENT]: xml = '' } = await fill(p(run('{{a}}', '<w:b/>')), { a: 'một\nhai\r\nba\tbốn' });
    expect(paragraphs(xml)).to.deep.equal(['một\nhai\nba\tbốn']);
    expect(xml.match(/<w:r>/g)).to.have.lengthOf(1);
  });

  it('copied pictures have ids of their own', async () => {
    const body = p('{{#people}}') + p(textBox(p('{{name}}{{#tags}}{{.}}{{/tags}}'))) + p('{{/people}}');
    const { [DOCUMENT]: xml = '' } = await fill(body, {
      people: [{ name: 'Lan', tags: ['a', 'b'] }, { name: 'Minh' }],
    });
    expect(paragraphs(xml)).to.deep.equal(['Lanab', 'Lanab', '', 'Minh', 'Minh', '']);
    const ids = [...xml.matchAll(/<wp:docPr id="(\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids)).to.have.property('size', 2);
  });

  it('a template for Word becomes a document, and parts without tags stay as they are', async () => {
    const png = Buffer.from([0x89, 0x50, 0, 255]);
    const extra = { 'word/media/image1.png': png, 'word/settings.xml': '<!-- {{a}} --><x/>' };
    const filled = await fill(docxTemplate({ body: p('{{a}}'), header: '<!--kept-->', extra, format: 'dotx' }), {
      a: 1,
    });
    expect(filled['[Content_Types].xml']).to.contain('wordprocessingml.document.main+xml').and.not.contain('template');
    expect(filled['word/settings.xml']).to.equal('<!-- {{a}} --><x/>');
    expect(filled['word/header1.xml']).to.contain('<!--kept-->');
    expect(filled['word/media/image1.png']).to.equal('\x89P\0\xff'.replace(/[\x89\xff]/g, '\ufffd'));
  });

  it('tags are found under another prefix, in UTF-16, character references and CDATA', async () => {
    const prefixed = p('{{tên}}').replace(/<(\/?)w:/g, '<$1x:');
    const escaped = p(run('&#x7b;{t&#234;<![CDATA[n}}]]>'));
    const wide = `\ufeff<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="${WORD}"><w:body>${escaped}</w:body></w:document>`;
    for (const xml of [
      `<x:document xmlns:x="${WORD}"><x:body>${prefixed}</x:body></x:document>`,
      Buffer.from(wide, 'utf16le'),
    ]) {
      const filled = await fill(docxTemplate({ body: '', extra: { [DOCUMENT]: xml } }), { tên: 'Lan' });
      expect(paragraphs(filled[DOCUMENT])).to.deep.equal(['Lan']);
    }
  });

  it('any text with values in their places, wherever Word has cut it, also in lists', async () => {
    const NAMES = ['a', 'b', 'họ tên', '__proto__', '0'];
    // Text that XML can hold, without carriage returns and without two braces of a kind side by side.
    const letters = fc.oneof(fc.constantFrom(...'{}#/&< '), fc.string({ unit: 'binary', maxLength: 1 }));
    const text = fc.string({ unit: letters }).map((value) => xmlOnly(value).replaceAll(/[\r{}]+/g, ' { '));
    const values = fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.string({ unit: 'binary' })])));
    const pieces = fc.array(fc.tuple(text, fc.constantFrom(...NAMES)), { maxLength: 8 });
    const cuts = fc.array(fc.nat(30), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.array(values, { maxLength: 3 }), cuts, async (template, items, ends) => {
        const inside = template.map(([words, name]) => `${words}{{${name}}}`).join('');
        const filled = (item: Record<string, unknown>) =>
          template.map(([words, name]) => words + xmlOnly(String(item[name]).replace(/\r\n?/g, '\n'))).join('');
        const found = await filledBody(inRuns(`{{#list}}${inside}{{/list}}`, ends), { list: items });
        expect(found).to.deep.equal([items.map(filled).join('')]);
      }),
      { numRuns: 100 },
    );
  });
});

/** Makes a paragraph whose runs end wherever it happens, never inside a character. */
function inRuns(content: string, cuts: number[]): string {
  const characters = [...content];
  const within = cuts.filter((cut) => cut < characters.length);
  const ends = [...new Set([...within, characters.length])].sort((a, b) => a - b);
  const parts = ends.map((end, index) => characters.slice(ends[index - 1] ?? 0, end).join(''));
  const toXml = (part: string) => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return p(parts.map((part) => run(toXml(part))).join(''));
}

function xmlOnly(value: string): string {
  return value.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
}

const MISSING = 'dữ liệu không có trường này';
const UNCLOSED = 'danh sách không được đóng';
const UNOPENED = 'thẻ đóng một danh sách chưa được mở';
const UNENDED = 'có {{ mà không có }} trong đoạn này';
const NOT_A_LIST = 'chỉ lặp được danh sách; không hỗ trợ điều kiện';
const UNEVEN = 'giữa các thẻ của danh sách này không có đoạn hay hàng nào trọn vẹn';
const UNSAFE = 'số có nhiều chữ số hơn mức JSON giữ được: hãy gửi dưới dạng chuỗi';
const SECRET = 'and this is what the letter says';

/** Tags of other template languages, which would not do what their author expects. */
const FOREIGN = Object.entries({
  ...{ '{{^if}}': 'không hỗ trợ điều kiện', '{{@raw}}': 'không hỗ trợ XML thô', '{{>part}}': 'không hỗ trợ mẫu con' },
  ...{ '{{&x}}': 'không hỗ trợ giá trị không thoát ký tự', '{{{x}}': 'không hỗ trợ giá trị không thoát ký tự' },
  ...{ '{{<x}}': 'không hỗ trợ mẫu con', '{{!note}}': 'không hỗ trợ chú thích trong thẻ' },
  ...{ '{{={ }=}}': 'không hỗ trợ dấu phân cách khác', '{{}}': 'thẻ không có tên', '{{ }}': 'thẻ không có tên' },
  ...{ '{{#}}': 'thẻ không có tên', '{{/}}': 'thẻ không có tên' },
});

/** Each mistake as `place paragraph tag message`, and the error's fields if given. */
interface Mistakes {
  template: string | Buffer;
  data?: unknown;
  missing?: 'empty' | 'error';
  errors: string[];
  fields?: string[];
}

const MISTAKES: Record<string, Mistakes> = {
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
  'lists made of something else: there are no conditions': {
    template: ['{{#a}}x{{/a}}', '{{#b}}x{{/b}}', '{{#c}}x{{/c}}', '{{#d}}x{{/d}}', '{{#e}}x{{/e}}']
      .map((tag) => p(tag))
      .join(''),
    data: { a: true, b: false, c: 0, d: 'yes', e: { a: 1 } },
    fields: ['a', 'b', 'c', 'd', 'e'],
    errors: [...'abcde'].map((name, index) => `body ${index + 1} {{#${name}}} ${NOT_A_LIST}`),
  },
  'digits that JSON does not keep': {
    template: p('{{a}}') + p('{{b}}') + p('{{c}}'),
    data: JSON.parse('{"a": 9007199254740993, "b": -12345678901234567890, "c": 1e400}'),
    errors: [...'abc'].map((name, index) => `body ${index + 1} {{${name}}} ${UNSAFE}`),
  },
  'lists that begin and end where nothing whole stands between': {
    template: p('{{#a}}') + table([[p('{{/a}}'), p('x')]]) + p(''),
    data: { a: [1] },
    fields: ['a'],
    errors: [`body 1 {{#a}} ${UNEVEN}`, `body 2 {{/a}} ${UNEVEN}`],
  },
};

describe('mistakes in a template', () => {
  for (const [what, { template, data = {}, missing = 'empty', fields, errors }] of Object.entries(MISTAKES)) {
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

  it('are not fields that are null or an empty list', async () => {
    expect(await filledBody(p('{{a}}{{#b}}{{c}}{{/b}}'), { a: null, b: [] }, 'error')).to.deep.equal(['']);
  });

  it('are lists nested deeper than anybody would', async () => {
    const tags = Array.from({ length: 40 }, (_, depth) => `{{#a${depth}}}`).join('');
    const [{ tag, message } = { tag: '', message: '' }] = (await failure(p(tags), {})).detail[
      'errors'
    ] as TemplateMistake[];
    expect([tag, message]).to.deep.equal(['{{#a32}}', 'danh sách lồng nhau quá sâu']);
  });

  it('are a corrupt source when a part is no XML', async () => {
    const doctype = '<!DOCTYPE x [<!ENTITY e "{{a}}">]><x/>';
    const parts = ['<w:document', '<a><b></a>', doctype, '<w:p/>', '<x xmlns:w="urn:x"><w:p/></x>'];
    const broken = parts.map((xml) => docxTemplate({ body: '', extra: { [DOCUMENT]: xml } }));
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
