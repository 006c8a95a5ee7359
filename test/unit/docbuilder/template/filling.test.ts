import { expect } from 'chai';
import { fill, filledBody, paragraphs } from '../../../support/filling.ts';
import { processorTime } from '../../../support/processor-time.ts';
import {
  docxTemplate,
  endnote,
  footnote,
  LETTER_DATA,
  letterTemplate,
  p,
  run,
  splitTag,
  table,
  textBox,
} from '../../../support/templates.ts';

const named = (name: string, more: object = {}) => ({ name, ...more });
const PEOPLE = [named('Lan', { age: 30 }), named('Minh', { age: 41 })];
const ROW = [p('{{#people}}{{name}}'), p('{{/people}}')];
const [COMPOSED, DECOMPOSED] = ['họ tên'.normalize('NFC'), 'họ tên'.normalize('NFD')];
const ANY_TEXT = '&<>"\' &amp; ]]> 👩‍💼 שלום مرحبا';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

type Case = [what: string, body: string, data: unknown, paragraphs: string[]];

const VALUES: Case[] = [
  ['a template without tags stays', p('a'), {}, ['a']],
  [
    'strings, numbers and booleans are text, null is nothing',
    p('{{a}} {{b}} {{c}} [{{d}}] {{e}}'),
    { a: 'một', b: 1234.5, c: false, d: null, e: 0 },
    ['một 1234.5 false [] 0'],
  ],
  [
    'names have dots, spaces and accents',
    p('{{customer.address.city}}|{{ họ tên }}|{{a.b}}|{{xin chào.bạn}}'),
    { customer: { address: { city: 'Huế' } }, 'họ tên': 'Lan', 'a.b': 'key', 'xin chào': { bạn: 'Minh' } },
    ['Huế|Lan|key|Minh'],
  ],
  ['a composed name finds a decomposed one', p(`{{${COMPOSED}}}`), { [DECOMPOSED]: 'Lan' }, ['Lan']],
  ['a decomposed name finds a composed one', p(`{{${DECOMPOSED}}}`), { [COMPOSED]: 'Lan' }, ['Lan']],
  ['a missing field is empty', p('[{{nobody}}][{{a.b.c}}]'), { a: 1 }, ['[][]']],
  [
    'text around tags, single braces and spaces stay',
    p(run('{ a } {x') + run('{{n}}', '<w:i/>') + run('} }')) + p('{') + p('{n} } b { {}') + p('{{n}}}'),
    { n: 1 },
    ['{ a } {x1} }', '{', '{n} } b { {}', '1}'],
  ],
  ['any text stays as it is', p('{{a}}'), { a: ANY_TEXT }, [ANY_TEXT]],
  [
    'what XML cannot hold is dropped',
    p('{{a}}'),
    { a: 'a\u0000b\u0008c\u001fd\ud800e\udc00f\uffff\u000bg' },
    ['abcdefg'],
  ],
  [
    'tags in values are not tags',
    p('{{#a}}{{x}}{{/a}}{{y}}'),
    { a: [{ x: '{{y}}{{/a}}' }], y: '{{#a}}{{1}}', '1': 'no' },
    ['{{y}}{{/a}}{{#a}}{{1}}'],
  ],
];

const LISTS: Case[] = [
  [
    'a row in which a list begins and ends is repeated',
    table([
      [p('Tên'), p('Tuổi')],
      [p(run('{{#people}}') + splitTag('name')), p('{{age}}{{/people}}')],
      [p('Hết'), p('')],
    ]),
    { people: PEOPLE },
    ['Tên', 'Tuổi', 'Lan', '30', 'Minh', '41', 'Hết', ''],
  ],
  [
    'rows are repeated when a list begins in one and ends in another',
    table([
      [p('{{#people}}{{name}}'), p('1')],
      [p('{{age}}'), p('2{{/people}}')],
    ]),
    { people: PEOPLE },
    ['Lan', '1', '30', '2', 'Minh', '1', '41', '2'],
  ],
  ...[{ people: [] }, { people: null }, {}].map((data): Case => {
    const body = table([[p('a'), p('b')], ROW]) + p('end');
    return [`the row goes with ${JSON.stringify(data)}`, body, data, ['a', 'b', 'end']];
  }),
  [
    'paragraphs between tags that stand alone are repeated, and the tags go with their paragraphs',
    p('before') + p(run(' ') + splitTag('#people')) + p('– {{name}}') + p('{{/people}} ') + p('after'),
    { people: PEOPLE },
    ['before', '– Lan', '– Minh', 'after'],
  ],
  [
    'text within a paragraph or a cell is repeated',
    p('{{#people}}{{name}}, {{/people}}…') + table([[p('{{#people}}{{name}};{{/people}}')]]) + p(''),
    { people: PEOPLE },
    ['Lan, Minh, …', 'Lan;Minh;', ''],
  ],
  [
    'names are looked up in the item first, then outwards; null is found',
    p('{{#people}}{{name}}-{{team}}-{{age}};{{/people}}'),
    { team: 'T', age: 'outer', people: [named('Lan', { team: 'own' }), named('Minh', { age: null })] },
    ['Lan-own-outer;Minh-T-;'],
  ],
  [
    'lists hold plain items, lists, and lists of lists',
    p('{{#teams}}{{name}}:{{#members}}{{.}},{{/members}} {{/teams}}{{#grid}}{{#.}}{{.}}{{/.}}|{{/grid}}'),
    { teams: [named('A', { members: ['x', 2, true, null] }), named('B', { members: [] })], grid: [[1, 2], [3]] },
    ['A:x,2,true,, B: 12|3|'],
  ],
  [
    'a row holds a table of its own',
    table([[p('{{#teams}}{{name}}') + table([[p('{{#members}}{{.}}'), p('{{/members}}')]]) + p(''), p('{{/teams}}')]]),
    { teams: [named('A', { members: [1, 2] }), named('B', { members: [3] })] },
    ['A', '1', '', '2', '', '', '', 'B', '3', '', '', ''],
  ],
];

describe('filling a template', () => {
  for (const [what, body, data, expected] of [...VALUES, ...LISTS]) {
    it(what, async () => {
      expect(await filledBody(body, data)).to.deep.equal(expected);
    });
  }

  it('a table goes with its last row', async () => {
    expect((await fill(table([ROW]) + p('end'), {}))['word/document.xml']).to.not.contain('<w:tbl>');
  });

  it('a name takes no longer to look for than it is long', async () => {
    const name = `a${'\u0301\u0323'.repeat(60_000)}`;
    const spent = processorTime();
    expect(await filledBody(p(`[{{${name}}}]`), {})).to.deep.equal(['[]']);
    expect(spent()).to.be.lessThan(2000);
  });

  it('a tag that Word split over runs has the formatting of its first run', async () => {
    const body = p(run('Chào ') + splitTag('tên', '<w:b/>') + run('!'));
    const { 'word/document.xml': xml = '' } = await fill(body, { tên: 'Lan' });
    expect(paragraphs(xml)).to.deep.equal(['Chào Lan!']);
    expect(xml).to.contain('<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">Lan</w:t>');
  });

  it('body, tables in tables, headers, footers, notes and both forms of a text box are filled; comments stay', async () => {
    const filled = await fill(
      docxTemplate({
        body:
          table([[p('{{n}} outer') + table([[p('{{n}} inner')]]) + p('')]]) +
          p(run('{{n}} box ') + textBox(p('{{n}} in box'))) +
          p(footnote(1) + endnote(1)),
        header: p('{{n}} header'),
        firstHeader: p('{{n}} first'),
        evenHeader: p('{{n}} even'),
        footer: p('{{n}} footer'),
        footnotes: [p('{{n}} footnote')],
        endnotes: [p('{{n}} endnote')],
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
    const { 'word/document.xml': xml = '' } = await fill(p(run('{{a}}', '<w:b/>')), { a: 'một\nhai\r\nba\tbốn' });
    expect(paragraphs(xml)).to.deep.equal(['một\nhai\nba\tbốn']);
    expect(xml.match(/<w:r>/g)).to.have.lengthOf(1);
  });

  it('copied pictures have ids of their own', async () => {
    const body = p('{{#people}}') + p(textBox(p('{{name}}{{#tags}}{{.}}{{/tags}}'))) + p('{{/people}}');
    const people = [{ name: 'Lan', tags: ['a', 'b'] }, { name: 'Minh' }];
    const { 'word/document.xml': xml = '' } = await fill(body, { people });
    expect(paragraphs(xml)).to.deep.equal(['Lanab', 'Lanab', '', 'Minh', 'Minh', '']);
    const ids = [...xml.matchAll(/<wp:docPr id="(\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids)).to.have.property('size', 2);
  });

  it('a template for Word becomes a document', async () => {
    const filled = await fill(docxTemplate({ body: p('{{a}}'), format: 'dotx' }), { a: 1 });
    expect(filled['[Content_Types].xml']).to.contain('wordprocessingml.document.main+xml').and.not.contain('template');
  });

  const prefixed = p('{{tên}}').replace(/<(\/?)w:/g, '<$1x:');
  const escaped = p(run('&#x7b;{t&#234;<![CDATA[n}}]]>'));
  const wide = `\ufeff<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="${WORD}"><w:body>${escaped}</w:body></w:document>`;
  const documents = [
    ['another prefix of WordprocessingML', `<x:document xmlns:x="${WORD}"><x:body>${prefixed}</x:body></x:document>`],
    ['UTF-16, character references and CDATA', Buffer.from(wide, 'utf16le')],
  ] as const;
  for (const [what, xml] of documents) {
    it(`tags are found in ${what}`, async () => {
      const filled = await fill(docxTemplate({ body: '', extra: { 'word/document.xml': xml } }), { tên: 'Lan' });
      expect(paragraphs(filled['word/document.xml'])).to.deep.equal(['Lan']);
    });
  }

  it('parts without tags stay as they are', async () => {
    const extra = {
      'word/media/image1.png': Buffer.from([0x89, 0x50, 0, 255]),
      'word/settings.xml': '<!-- {{a}} --><x/>',
    };
    const filled = await fill(docxTemplate({ body: p('{{a}}'), header: '<!--kept-->', extra }), { a: 1 });
    expect(filled['word/settings.xml']).to.equal('<!-- {{a}} --><x/>');
    expect(filled['word/header1.xml']).to.contain('<!--kept-->');
    expect(filled['word/media/image1.png']).to.equal('\x89P\0\xff'.replace(/[\x89\xff]/g, '\ufffd'));
  });

  it('a whole letter is filled', async () => {
    const filled = await fill(letterTemplate(), LETTER_DATA, 'error');
    expect(Object.values(filled).join('')).to.not.match(/\{\{|\}\}/);
    const body = paragraphs(filled['word/document.xml']);
    expect(body.filter((text) => /^HĐ-/.test(text))).to.deep.equal(['HĐ-0098', 'HĐ-0112', 'HĐ-0131']);
    expect(body.filter((text) => /^– /.test(text))).to.have.lengthOf(2);
  });
});
