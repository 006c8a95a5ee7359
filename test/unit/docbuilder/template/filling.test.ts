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

describe('filling a template', () => {
  it('puts strings, numbers, booleans and nothing for null in the place of tags', async () => {
    const body = p('{{a}} {{b}} {{c}} [{{d}}] {{e}}');
    const data = { a: 'một', b: 1234.5, c: false, d: null, e: 0 };
    expect(await filledBody(body, data)).to.deep.equal(['một 1234.5 false [] 0']);
  });

  it('finds nested names, names with spaces and accents, and keys with dots', async () => {
    const body = p('{{customer.address.city}}|{{ họ tên }}|{{a.b}}|{{xin chào.bạn}}');
    const data = { customer: { address: { city: 'Huế' } }, 'họ tên': 'Lan', 'a.b': 'key', 'xin chào': { bạn: 'Minh' } };
    expect(await filledBody(body, data)).to.deep.equal(['Huế|Lan|key|Minh']);
  });

  it('takes either spelling of an accented name for the other', async () => {
    const [composed, decomposed] = ['họ tên'.normalize('NFC'), 'họ tên'.normalize('NFD')];
    expect(await filledBody(p(`{{${composed}}}`), { [decomposed]: 'Lan' })).to.deep.equal(['Lan']);
    expect(await filledBody(p(`{{${decomposed}}}`), { [composed]: 'Lan' })).to.deep.equal(['Lan']);
  });

  it('looks for no name longer than for its length', async () => {
    const name = `a${'\u0301\u0323'.repeat(60_000)}`;
    const spent = processorTime();
    expect(await filledBody(p(`[{{${name}}}]`), {})).to.deep.equal(['[]']);
    expect(spent()).to.be.lessThan(2000);
  });

  it('leaves a missing field empty', async () => {
    expect(await filledBody(p('[{{nobody}}][{{a.b.c}}]'), { a: 1 })).to.deep.equal(['[][]']);
  });

  it('joins a tag that Word split over runs, in the formatting of its first run', async () => {
    const bold = '<w:b/>';
    const { 'word/document.xml': xml = '' } = await fill(p(run('Chào ') + splitTag('tên', bold) + run('!')), {
      tên: 'Lan',
    });
    expect(paragraphs(xml)).to.deep.equal(['Chào Lan!']);
    expect(xml).to.contain('<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">Lan</w:t>');
  });

  it('keeps text around tags, single braces and spaces as they are', async () => {
    const body = p(run('{ a } {x') + run('{{n}}', '<w:i/>') + run('} }')) + p('{') + p('{n} }');
    expect(await filledBody(body, { n: 1 })).to.deep.equal(['{ a } {x1} }', '{', '{n} }']);
  });

  it('fills body, tables in tables, headers, footers, notes and both forms of a text box; comments stay', async () => {
    const inner = table([[p('{{n}} inner')]]);
    const filled = await fill(
      docxTemplate({
        body:
          table([[p('{{n}} outer') + inner + p('')]]) +
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
    expect(all).to.deep.equal([...whole, 'N footnote', 'N endnote', '{{n}} comment']);
  });

  it('writes line breaks and tabs as Word does, in the same run', async () => {
    const { 'word/document.xml': xml = '' } = await fill(p(run('{{a}}', '<w:b/>')), { a: 'một\nhai\r\nba\tbốn' });
    expect(paragraphs(xml)).to.deep.equal(['một\nhai\nba\tbốn']);
    expect(xml.match(/<w:r>/g)).to.have.lengthOf(1);
  });

  it('keeps markup characters, emoji and right-to-left text, and drops what XML cannot hold', async () => {
    const value = '&<>"\' &amp; ]]> 👩‍💼 שלום مرحبا';
    expect(await filledBody(p('{{a}}'), { a: value })).to.deep.equal([value]);
    const forbidden = 'a\u0000b\u0008c\u001fd\ud800e\udc00f\uffff\u000bg';
    expect(await filledBody(p('{{a}}'), { a: forbidden })).to.deep.equal(['abcdefg']);
  });

  it('makes a document of a template for Word', async () => {
    const filled = await fill(docxTemplate({ body: p('{{a}}'), format: 'dotx' }), { a: 1 });
    expect(filled['[Content_Types].xml']).to.contain('wordprocessingml.document.main+xml').and.not.contain('template');
  });

  it('finds WordprocessingML by its namespace, whatever its prefix', async () => {
    const other = (xml: string): string => xml.replace(/<(\/?)w:/g, '<$1x:').replace('xmlns:w=', 'xmlns:x=');
    const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const xml = other(`<w:document xmlns:w="${word}"><w:body>${p('{{a}}')}</w:body></w:document>`);
    const filled = await fill(docxTemplate({ body: '', extra: { 'word/document.xml': xml } }), { a: 'found' });
    expect(paragraphs(filled['word/document.xml'])).to.deep.equal(['found']);
  });

  it('reads UTF-16, character references and CDATA', async () => {
    const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const text = '&#x7b;{t&#234;n}} <![CDATA[{{tên}}]]>';
    const xml = `\ufeff<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="${word}"><w:body>${p(run(text))}</w:body></w:document>`;
    const extra = { 'word/document.xml': Buffer.from(xml, 'utf16le') };
    const filled = await fill(docxTemplate({ body: '', extra }), { tên: 'Lan' });
    expect(paragraphs(filled['word/document.xml'])).to.deep.equal(['Lan Lan']);
  });

  it('copies parts without tags byte for byte', async () => {
    const extra = {
      'word/media/image1.png': Buffer.from([0x89, 0x50, 0, 255]),
      'word/settings.xml': '<!-- {{a}} --><x/>',
    };
    const filled = await fill(docxTemplate({ body: p('{{a}}'), header: '<!--kept-->', extra }), { a: 1 });
    expect(filled['word/settings.xml']).to.equal('<!-- {{a}} --><x/>');
    expect(filled['word/header1.xml']).to.contain('<!--kept-->');
    expect(filled['word/media/image1.png']).to.equal('\x89P\0\xff'.replace(/[\x89\xff]/g, '\ufffd'));
  });

  it('fills a whole letter', async () => {
    const filled = await fill(letterTemplate(), LETTER_DATA, 'error');
    const all = Object.values(filled).join('');
    expect(all).to.not.match(/\{\{|\}\}/);
    const body = paragraphs(filled['word/document.xml']);
    expect(body.filter((text) => /^HĐ-/.test(text))).to.deep.equal(['HĐ-0098', 'HĐ-0112', 'HĐ-0131']);
    expect(body.filter((text) => /^– /.test(text))).to.have.lengthOf(2);
  });
});
