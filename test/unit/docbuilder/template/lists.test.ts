import { expect } from 'chai';
import { fill, filledBody, paragraphs } from '../../../support/filling.ts';
import { p, run, splitTag, table, textBox } from '../../../support/templates.ts';

const PEOPLE = [
  { name: 'Lan', age: 30 },
  { name: 'Minh', age: 41 },
];

describe('lists of a template', () => {
  it('repeat the row of a table in which they begin and end', async () => {
    const body = table([
      [p('Tên'), p('Tuổi')],
      [p(run('{{#people}}') + splitTag('name')), p('{{age}}{{/people}}')],
      [p('Hết'), p('')],
    ]);
    const { 'word/document.xml': xml = '' } = await fill(body, { people: PEOPLE });
    expect(paragraphs(xml)).to.deep.equal(['Tên', 'Tuổi', 'Lan', '30', 'Minh', '41', 'Hết', '']);
    expect(xml.match(/<w:tr>/g)).to.have.lengthOf(4);
  });

  it('remove the row when empty, null or missing, and the table with its last row', async () => {
    const row = [p('{{#people}}{{name}}'), p('{{/people}}')];
    for (const data of [{ people: [] }, { people: null }, {}]) {
      const { 'word/document.xml': xml = '' } = await fill(table([[p('a'), p('b')], row]) + p('end'), data);
      expect(paragraphs(xml)).to.deep.equal(['a', 'b', 'end']);
      expect(xml.match(/<w:tr>/g)).to.have.lengthOf(1);
      expect((await fill(table([row]) + p('end'), data))['word/document.xml']).to.not.contain('<w:tbl>');
    }
  });

  it('repeat several rows when they begin in one and end in another', async () => {
    const body = table([
      [p('{{#people}}{{name}}'), p('1')],
      [p('{{age}}'), p('2{{/people}}')],
    ]);
    expect(await filledBody(body, { people: PEOPLE })).to.deep.equal(['Lan', '1', '30', '2', 'Minh', '1', '41', '2']);
  });

  it('repeat paragraphs between tags that stand alone, which go themselves', async () => {
    const body = p('before') + p(run(' ') + splitTag('#people')) + p('– {{name}}') + p('{{/people}} ') + p('after');
    expect(await filledBody(body, { people: PEOPLE })).to.deep.equal(['before', '– Lan', '– Minh', 'after']);
  });

  it('repeat text within a paragraph or a cell', async () => {
    const body = p('{{#people}}{{name}}, {{/people}}…') + table([[p('{{#people}}{{name}};{{/people}}')]]) + p('');
    expect(await filledBody(body, { people: PEOPLE })).to.deep.equal(['Lan, Minh, …', 'Lan;Minh;', '']);
  });

  it('look names up in the item first, then outwards; null is found', async () => {
    const body = p('{{#people}}{{name}}-{{team}}-{{age}};{{/people}}');
    const data = {
      team: 'T',
      age: 'outer',
      people: [
        { name: 'Lan', team: 'own' },
        { name: 'Minh', age: null },
      ],
    };
    expect(await filledBody(body, data)).to.deep.equal(['Lan-own-outer;Minh-T-;']);
  });

  it('hold lists, plain items and lists of lists', async () => {
    const body = p('{{#teams}}{{name}}:{{#members}}{{.}},{{/members}} {{/teams}}{{#grid}}{{#.}}{{.}}{{/.}}|{{/grid}}');
    const data = {
      teams: [
        { name: 'A', members: ['x', 2, true, null] },
        { name: 'B', members: [] },
      ],
      grid: [[1, 2], [3]],
    };
    expect(await filledBody(body, data)).to.deep.equal(['A:x,2,true,, B: 12|3|']);
  });

  it('hold a table in each of their rows', async () => {
    const inner = table([[p('{{#members}}{{.}}'), p('{{/members}}')]]);
    const body = table([[p('{{#teams}}{{name}}') + inner + p(''), p('{{/teams}}')]]);
    const data = {
      teams: [
        { name: 'A', members: [1, 2] },
        { name: 'B', members: [3] },
      ],
    };
    expect(await filledBody(body, data)).to.deep.equal(['A', '1', '', '2', '', '', '', 'B', '3', '', '', '']);
  });

  it('work in both forms of a text box, and give copied pictures ids of their own', async () => {
    const body = p('{{#people}}') + p(textBox(p('{{name}}{{#tags}}{{.}}{{/tags}}'))) + p('{{/people}}');
    const data = {
      people: [
        { name: 'Lan', tags: ['a', 'b'] },
        { name: 'Minh', tags: [] },
      ],
    };
    const { 'word/document.xml': xml = '' } = await fill(body, data);
    expect(paragraphs(xml)).to.deep.equal(['Lanab', 'Lanab', '', 'Minh', 'Minh', '']);
    const ids = [...xml.matchAll(/<wp:docPr id="(\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids)).to.have.property('size', 2);
  });

  it('do not evaluate tags in values again', async () => {
    const body = p('{{#a}}{{x}}{{/a}}{{y}}');
    const data = { a: [{ x: '{{y}}{{/a}}' }], y: '{{#a}}{{1}}', '1': 'no' };
    expect(await filledBody(body, data)).to.deep.equal(['{{y}}{{/a}}{{#a}}{{1}}']);
  });
});
