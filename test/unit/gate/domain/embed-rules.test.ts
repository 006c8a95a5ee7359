import { expect } from 'chai';
import { fitsFileType, parseContentTypes, parseMimetype, sniffContent } from '../../../../cmd/gate/domain/content.ts';
import { createLinks } from '../../../../cmd/gate/domain/links.ts';
import { FILE_TYPES } from '../../../../cmd/gate/domain/model.ts';
import { allowsOrigin } from '../../../../cmd/gate/domain/origins.ts';
import { uiDefaults, viewFlags } from '../../../../cmd/gate/domain/ui.ts';
import { MAIN_TYPES, type OoxmlFormat } from '../../../../scripts/support/documents.ts';
import type { AppError } from '../../../../src/common/errors.ts';

describe('origins', () => {
  const portal = 'https://portal.example.com';

  it('a listed one, and whoever sends none', () => {
    expect(allowsOrigin([portal, 'http://localhost:3000'], portal)).to.equal(true);
    expect(allowsOrigin([portal, 'http://localhost:3000'], 'http://localhost:3000')).to.equal(true);
    expect(allowsOrigin([portal], undefined)).to.equal(true);
    expect(allowsOrigin([], undefined)).to.equal(true);
  });

  for (const origin of [
    'null',
    '',
    '*',
    'https://portal.example.com.evil.test',
    'https://evil-portal.example.com',
    'https://x.portal.example.com',
    'http://portal.example.com',
    'https://portal.example.com:8443',
    'https://portal.example.com/',
    'https://PORTAL.example.com',
    'https://portal.example.com, https://evil.test',
    'https://portal.example.com@evil.test',
    ' https://portal.example.com',
  ]) {
    it(`a list lets ${JSON.stringify(origin)} not in`, () => {
      expect(allowsOrigin([portal], origin)).to.equal(false);
    });
  }

  it('`*` lets every origin in, `null` too, but nothing that is none', () => {
    for (const origin of [portal, 'http://[::1]:8080', 'null', 'app://my.app'])
      expect(allowsOrigin(['*'], origin)).to.equal(true);
    for (const origin of [
      '',
      '*',
      'https://',
      'https://a/b',
      'https://a https://b',
      'javascript:alert(1)',
      'https://a@b',
    ])
      expect(allowsOrigin(['*'], origin), origin).to.equal(false);
  });
});

describe('links', () => {
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') };
  const links = createLinks({ secret: 'a secret', hours: 24, clock: () => clock.now });
  const docId = `doc_${'a'.repeat(32)}`;
  const query = (link: string) => Object.fromEntries(new URL(link).searchParams);
  const code = (id: string, asked: object): string => {
    try {
      return `version ${links.verify(id, asked)}`;
    } catch (error) {
      return (error as AppError).code;
    }
  };
  const good = query(links.sign('https://office.example.com', docId, 3));

  it('lead to their version until their time is up, and then say so', () => {
    expect(code(docId, good)).to.equal('version 3');
    const { now } = clock;
    clock.now = now + 24 * 3_600_000 - 1;
    expect(code(docId, good)).to.equal('version 3');
    clock.now = now + 24 * 3_600_000;
    expect(code(docId, good)).to.equal('link_expired');
    clock.now = now;
  });

  it('are good for one document, one version and one time', () => {
    expect(code(`doc_${'b'.repeat(32)}`, good)).to.equal('invalid_signature');
    expect(code(docId, { ...good, v: '4' })).to.equal('invalid_signature');
    expect(code(docId, { ...good, exp: String(Number(good['exp']) + 1) })).to.equal('invalid_signature');
    expect(code(docId, { ...good, exp: '1' })).to.equal('invalid_signature');
  });

  it('have one signature: nothing cut, added, in upper case or repeated', () => {
    const sig = good['sig'] ?? '';
    for (const wrong of ['', sig.slice(0, -1), sig.slice(0, 32), `${sig}0`, sig.toUpperCase(), `${sig} `, `0x${sig}`]) {
      expect(code(docId, { ...good, sig: wrong }), wrong).to.equal('invalid_signature');
    }
    for (const wrong of [undefined, [sig, sig], { a: sig }]) {
      expect(code(docId, { ...good, sig: wrong })).to.equal('bad_request');
    }
  });

  it('have one way to write a number', () => {
    for (const wrong of [
      '03',
      '+3',
      '3.0',
      '3e0',
      ' 3',
      '-1',
      '',
      '0x3',
      '9'.repeat(20),
      undefined,
      ['3'],
      ['3', '3'],
    ]) {
      expect(code(docId, { ...good, v: wrong }), String(wrong)).to.equal('bad_request');
      expect(code(docId, { ...good, exp: wrong }), String(wrong)).to.equal('bad_request');
    }
  });

  it('are made anew with their whole time, for the same version at the same place', () => {
    const { now } = clock;
    const link = links.sign('https://office.example.com/docs', docId, 3);
    clock.now = now + 24 * 3_600_000;
    expect(code(docId, query(link))).to.equal('link_expired');
    expect(links.renew(link)).to.equal(links.sign('https://office.example.com/docs', docId, 3));
    expect(links.verify(docId, query(links.renew(link)))).to.equal(3);
    clock.now = now;
    const foreign = 'https://example.com/a?exp=1';
    expect(links.renew(foreign)).to.equal(foreign);
  });

  it('of another secret are no links', () => {
    const other = createLinks({ secret: 'another secret', hours: 24, clock: () => clock.now });
    expect(code(docId, query(other.sign('', docId, 3).replace(/^/, 'https://x')))).to.equal('invalid_signature');
  });
});

describe('ui', () => {
  it('says nothing to the editor that the portal did not say', () => {
    expect(uiDefaults({}, 'docx')).to.equal('');
    expect(viewFlags({})).to.deep.equal({
      HidePrintOption: false,
      DisablePrint: false,
      HideExportOption: false,
      DisableExport: false,
      DisableCopy: false,
    });
  });

  it('is written for the family of the document', () => {
    const ui = { toolbar: 'tabbed', sidebar: false, statusBar: true, ruler: false } as const;
    const expected = (family: string) =>
      `UIMode=tabbed;${family}Sidebar=false;${family}Statusbar=true;${family}Ruler=false`;
    expect(uiDefaults(ui, 'rtf')).to.equal(expected('Text'));
    expect(uiDefaults(ui, 'csv')).to.equal(expected('Spreadsheet'));
    expect(uiDefaults(ui, 'odp')).to.equal(expected('Presentation'));
  });

  it('hides and refuses what the portal switched off', () => {
    expect(viewFlags({ print: false, export: false, copy: false, userList: false })).to.deep.equal({
      HidePrintOption: true,
      DisablePrint: true,
      HideExportOption: true,
      DisableExport: true,
      DisableCopy: true,
      HideUserList: 'true',
    });
  });
});

describe('content', () => {
  const sniff = (bytes: string | Buffer, type?: string) =>
    sniffContent(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, 'latin1'), type);

  it('is told by the first bytes', () => {
    expect(sniff('PK\x03\x04')).to.equal('zip');
    expect(sniff('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1..')).to.equal('ole');
    expect(sniff('{\\rtf1')).to.equal('rtf');
    expect(sniff('%PDF-1.7')).to.equal('pdf');
    expect(sniff('')).to.equal('empty');
    expect(sniff('a;b\n1;2')).to.equal('text');
    expect(sniff('\0\x01\x02\x03')).to.equal('binary');
    expect(sniff(Buffer.from('Cộng hòa'))).to.equal('text');
    expect(sniff(Buffer.from('\ufeffCộng hòa Ā', 'utf16le'))).to.equal('text');
    expect(sniff(Buffer.from('plain', 'utf16le'))).to.equal('text');
  });

  it('a page to log in at is no text', () => {
    expect(sniff('\n <!DOCTYPE html><title>Login')).to.equal('html');
    expect(sniff('<HTML>')).to.equal('html');
    expect(sniff('<form>', 'text/html; charset=utf-8')).to.equal('html');
    expect(sniff('a < b', 'text/plain')).to.equal('text');
  });

  it('knows packages of all OOXML formats, templates and those with macros', () => {
    const family = { d: 'docx', x: 'xlsx', p: 'pptx' };
    for (const [format, type] of Object.entries(MAIN_TYPES) as [OoxmlFormat, string][]) {
      expect(parseContentTypes(`<Override ContentType="${type}"/>`)).to.equal(family[format[0] as 'd' | 'x' | 'p']);
    }
    expect(parseContentTypes('application/vnd.ms-excel.sheet.binary.macroEnabled.main')).to.equal(undefined);
    const embedded = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    expect(parseContentTypes(`<Default Extension="xlsx" ContentType="${embedded}"/>`)).to.equal(undefined);
  });

  it('knows OpenDocument by its mimetype', () => {
    const odf = 'application/vnd.oasis.opendocument.';
    expect(parseMimetype(`${odf}text`)).to.equal('odt');
    expect(parseMimetype(`${odf}spreadsheet-template\n`)).to.equal('ods');
    expect(parseMimetype(`${odf}presentation`)).to.equal('odp');
    expect(parseMimetype(`${odf}graphics`)).to.equal(undefined);
    expect(parseMimetype('constructor')).to.equal(undefined);
  });

  it('fits a type or does not', () => {
    for (const type of FILE_TYPES) {
      for (const wrong of ['image', 'gzip', 'zip'] as const)
        expect(fitsFileType(type, wrong), `${wrong} as ${type}`).to.equal(false);
      for (const wrong of ['html', 'pdf'] as const)
        expect(fitsFileType(type, wrong), `${wrong} as ${type}`).to.equal(['txt', 'csv'].includes(type));
    }
    expect(fitsFileType('docx', 'docx')).to.equal(true);
    // A docx with a password, and what Word calls doc although it is RTF.
    expect(fitsFileType('docx', 'ole')).to.equal(true);
    expect(fitsFileType('doc', 'rtf')).to.equal(true);
    expect(fitsFileType('docx', 'xlsx')).to.equal(false);
    expect(fitsFileType('txt', 'empty')).to.equal(true);
    expect(fitsFileType('docx', 'empty')).to.equal(false);
  });
});
