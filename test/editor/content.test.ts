import { expect } from 'chai';
import { type Content, openContent } from '../../examples/editor/content/content.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import { zipEntry } from '../engine/support.ts';
import { docxTemplate } from '../support/templates.ts';

const RICH = docxTemplate({
  body: [
    '<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>Hợp </w:t></w:r><w:r><w:t xml:space="preserve">đồng &amp; </w:t><w:tab/><w:t>phụ lục</w:t></w:r></w:p>',
    '<w:p/>',
    '<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc><w:tcPr/><w:p><w:r><w:t>Ô một</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
    '<w:p><w:bookmarkStart w:id="0" w:name="a"/><w:r><w:t>Có dấu trang</w:t></w:r><w:bookmarkEnd w:id="0"/></w:p>',
    '<w:p><w:r><w:t>Cuối</w:t></w:r></w:p>',
  ].join(''),
});

describe('stand-in editor: the text of real documents', () => {
  it('changes only what differs: formatting, fields and other parts of the package stay', () => {
    const content = openContent('a.docx', RICH);
    const [first] = content.lines();
    content.set(first?.id ?? '', 'Hợp đồng <mới> & \tphụ lục');
    const xml = documentXml(content);
    expect(xml).to.contain('<w:rPr><w:b/></w:rPr><w:t>Hợp </w:t>');
    expect(xml).to.contain('đồng &lt;mới&gt; &amp; </w:t><w:tab/><w:t>phụ lục</w:t>');
    expect(zipEntry(Buffer.from(content.render()), '[Content_Types].xml')).to.equal(
      zipEntry(RICH, '[Content_Types].xml'),
    );
  });

  it('adds and removes paragraphs, and keeps those that the file needs', () => {
    const content = openContent('a.docx', RICH);
    const ids = content.lines().map(({ id }) => id);
    expect(content.add('1.0', ids[4] ?? '', 'Thêm\tmột\ndòng')).to.equal(true);
    expect(content.add('1.0', ids[4] ?? '', 'hai lần')).to.equal(false);
    expect(content.remove(ids[1] ?? '')).to.equal('removed');
    expect(content.remove(ids[2] ?? ''), 'a cell ends with a paragraph').to.equal('emptied');
    expect(content.remove(ids[3] ?? ''), 'a bookmark is there').to.equal('emptied');
    expect(content.remove('nobody')).to.equal(false);
    expect(texts(openContent('a.docx', content.render()))).to.deep.equal([
      'Hợp đồng & \tphụ lục',
      '',
      '',
      'Cuối',
      'Thêm\tmột\ndòng',
    ]);
  });

  it('keeps the line ends, the byte order mark and the encoding of plain text', () => {
    const content = openContent('a.csv', Buffer.from('\ufeffmột,1\r\nhai,2\r\n'));
    expect(texts(content)).to.deep.equal(['một,1', 'hai,2', '']);
    content.set('p1', 'hai,3');
    expect(Buffer.from(content.render()).toString()).to.equal('\ufeffmột,1\r\nhai,3\r\n');
    const western = Buffer.from('caf\xe9\n', 'latin1');
    expect(Buffer.from(openContent('a.txt', western).render())).to.deep.equal(western);
  });

  it('shows other types as they are, and refuses what is no document', () => {
    const sheet = ooxml('xlsx');
    expect(openContent('a.xlsx', sheet)).to.deep.include({ editable: false });
    expect(openContent('a.xlsx', sheet).render()).to.equal(sheet);
    expect(() => openContent('a.docx', Buffer.from('no zip'))).to.throw();
  });
});

function texts(content: Content): string[] {
  return content.lines().map(({ text }) => text);
}

function documentXml(content: Content): string {
  return zipEntry(Buffer.from(content.render()), 'word/document.xml');
}
