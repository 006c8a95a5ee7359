import { expect } from 'chai';
import {
  fitsFileType,
  parseContentTypes,
  parseMimetype,
  SNIFF_BYTES,
  sniffContent,
} from '../../../../cmd/gate/domain/content.ts';
import { FILE_TYPES, type FileType } from '../../../../cmd/gate/domain/model.ts';
import { MAIN_TYPES, type OoxmlFormat } from '../../../../scripts/support/documents.ts';
import * as compound from '../../../support/compound-files.ts';
import { csv, rtf, txt } from '../../../support/open-documents.ts';

const HTML = 'text/html; charset=utf-8';

/** The types that a file's first bytes pass for; packages need more than that. */
const passesFor = (bytes: Buffer | string, contentType?: string): FileType[] => {
  const found = sniffContent(
    (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes).subarray(0, SNIFF_BYTES),
    contentType,
  );
  return FILE_TYPES.filter((fileType) => fitsFileType(fileType, found));
};
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('what a downloaded file can be', () => {
  const texts: [name: string, bytes: Buffer | string, contentType?: string][] = [
    ['in UTF-8', txt()],
    ['with commas, served as a page', csv(), HTML],
    ['that begins like a picture', 'GIF89a is how these files begin.'],
    ['that begins like a PDF', '%PDF-1.7 is how these files begin.'],
    ['that begins like RTF', '{\\rtf1 is how these files begin.'],
    ['that is a page', '<!doctype html>\n<p>How to write a page</p>'],
    ['that looks like a page and is served as one', '<chapter>', HTML],
    ['in VISCII', 'H\xe1c \x02\x05\x06\x14\x19\x1e'],
    ['in TCVN 5712 with its control codes', '\x01\x02\x04\x05\x06\x11\x12\x13\x14\x15\x16\x17 ch\xe7'],
    ['with a NUL in it', 'before\0after'],
    ['in UTF-16', utf16('Dòng một\tDòng hai\n')],
  ];
  for (const [name, bytes, contentType] of texts) {
    it(`a text ${name} is a txt and a csv`, () => {
      expect(passesFor(bytes, contentType)).to.include.members(['txt', 'csv']);
    });
  }

  it('is what Office opens as .xls and .doc whatever it holds', () => {
    const table = '<html><head><meta charset="utf-8"></head><body><table><tr><td>1</td></tr></table></body></html>';
    const word = '<html xmlns:w="urn:schemas-microsoft-com:office:word"><body><h1>Báo cáo</h1></body></html>';
    expect(passesFor(table)).to.include.members(['xls', 'doc']);
    expect(passesFor(utf16(table), HTML)).to.include('xls');
    expect(passesFor(`\xef\xbb\xbf\r\n${word}`, HTML)).to.include('doc');
    expect(passesFor('Tên\tTuổi\r\nAn\t30\r\n', 'application/vnd.ms-excel')).to.include('xls');
    expect(
      passesFor('<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">'),
    ).to.include('xls');
    expect(passesFor('\x09\x08\x06\x00\x00\x05\x10\x00')).to.include('xls');
    expect(passesFor('\xdb\xa5\x2d\x00')).to.include('doc');
    expect(passesFor(rtf())).to.include.members(['rtf', 'doc']);
    for (const file of [compound.doc(), compound.xls(), compound.ppt(), compound.encryptedPackage()]) {
      expect(passesFor(file)).to.deep.equal(['docx', 'doc', 'rtf', 'xlsx', 'xls', 'pptx', 'ppt']);
    }
    for (const [content, ...others] of [
      ['docx', 'doc', 'rtf'] as const,
      ['xlsx', 'xls'] as const,
      ['pptx', 'ppt'] as const,
    ])
      expect(FILE_TYPES.filter((fileType) => fitsFileType(fileType, content))).to.have.members([content, ...others]);
  });

  it('is no document when it is nothing, a page to log in at, a picture, a PDF or something packed', () => {
    const login = '<!DOCTYPE html><html><body><form action="/login"><input type="password"></form></body></html>';
    const pages: [string, string?][] = [
      [login],
      [login.replace('<form', '<table><tr><td><form')],
      [login.replace(/<form[^>]*>/, '<table>')],
      ['<!-- proxy --><title>Sign in</title>', HTML],
      [`\xef\xbb\xbf  ${login}`],
      ['%PDF-1.7'],
    ];
    for (const [page, contentType] of pages) {
      expect(passesFor(page, contentType), page).to.deep.equal(['txt', 'csv']);
    }
    for (const bytes of ['', '\x89PNG\r\n\x1a\n', '\xff\xd8\xff\xe0', 'GIF89a\x01\0\x01\0\x80\0\0', '\x1f\x8b\x08']) {
      expect(passesFor(bytes), bytes).to.deep.equal([]);
    }
    expect(FILE_TYPES.filter((fileType) => fitsFileType(fileType, 'zip'))).to.deep.equal([]);
  });

  it('is a package of any OOXML format, with macros and templates too, or of OpenDocument', () => {
    const family = { d: 'docx', x: 'xlsx', p: 'pptx' };
    for (const [format, type] of Object.entries(MAIN_TYPES) as [OoxmlFormat, string][])
      expect(parseContentTypes(`<Override ContentType="${type}"/>`)).to.equal(family[format[0] as 'd' | 'x' | 'p']);
    const embedded = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    for (const none of ['application/vnd.ms-excel.sheet.binary.macroEnabled.main', `ContentType="${embedded}"`])
      expect(parseContentTypes(none)).to.equal(undefined);
    for (const [name, type] of [
      ['text', 'odt'],
      ['spreadsheet-template\n', 'ods'],
      ['presentation', 'odp'],
      ['graphics', undefined],
    ])
      expect(parseMimetype(`application/vnd.oasis.opendocument.${name}`)).to.equal(type);
    expect(parseMimetype('constructor')).to.equal(undefined);
  });
});
