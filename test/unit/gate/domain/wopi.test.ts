import { expect } from 'chai';
import fc from 'fast-check';
import { baseFileName, checkFileInfo, parseNonce, savedAfter } from '../../../../cmd/gate/domain/wopi.ts';
import type { EmbedUi } from '../../../../src/common/generated/wire.ts';
import { documentRecord, sessionRecord, versionRecord } from '../../../support/gate-records.ts';

describe('CheckFileInfo', () => {
  const name = (title: string) => baseFileName({ title, fileType: 'docx', key: 'the-key' });

  it('names a file by its title, once with its extension', () => {
    for (const title of ['Báo cáo', 'Báo cáo.DOCX']) expect(name(title)).to.equal('Báo cáo.docx');
    expect(name('a/b\\c:d.odt')).to.equal('a_b_c_d.odt.docx');
    for (const title of ['..', ' .docx']) expect(name(title)).to.equal('the-key.docx');
  });

  it('names a file so that the editor has room behind it, and shows the whole title', () => {
    for (const letter of ['a', 'ế', 'e\u0302\u0301', '😀']) {
      const title = letter.repeat(Math.floor(255 / letter.length));
      const made = name(title);
      expect(Buffer.byteLength(made), letter).to.be.within(175, 185);
      expect(title.startsWith(made.slice(0, -5)), letter).to.equal(true);
      expect(made.isWellFormed(), letter).to.equal(true);
      const info = checkFileInfo(sessionRecord(), documentRecord({ title }), versionRecord());
      expect(info.BreadcrumbDocName).to.equal(title);
    }
    expect(name(`${'.'.repeat(200)}a`)).to.equal('the-key.docx');
  });

  it('names no file with a slash, a control character or no stem, whatever the title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (title) => {
        const made = name(title);
        expect(made).to.match(/^[^/\\\p{Cc}]*[^.\s][^/\\\p{Cc}]*\.docx$/u);
        expect(made.isWellFormed()).to.equal(true);
      }),
    );
  });

  it('has a name for people that breaks no list of the editor', () => {
    const info = (user: string) =>
      checkFileInfo(sessionRecord({ user: { id: 'u', name: user } }), documentRecord(), versionRecord());
    expect(info('A "B" \\ C\n')['UserFriendlyName']).to.equal('A B  C');
    expect(info('""')['UserFriendlyName']).to.equal('Khách');
  });

  it('lets nothing of a portal’s ui change what it may do', () => {
    const ui = { UserCanWrite: true, OwnerId: 'ses_a', SupportsLocks: true, PostMessageOrigin: '*' } as EmbedUi;
    const info = checkFileInfo(sessionRecord({ mode: 'view', ui }), documentRecord(), versionRecord());
    expect(info).to.include({
      UserCanWrite: false,
      OwnerId: 'svc',
      SupportsLocks: false,
      PostMessageOrigin: 'https://portal.example.vn',
    });
  });

  it('reads a nonce only from what the library writes', () => {
    expect(parseNonce('svc1.aB_-9')).to.equal('aB_-9');
    const texts = ['undefined', '', 'svc1.', 'svc2.a', 'svc1.a b', ' svc1.a', `svc1.${'a'.repeat(65)}`];
    for (const other of [...texts, undefined]) expect(parseNonce(other), String(other)).to.equal(null);
  });

  it('gives versions times that only go up, whatever the clock does', () => {
    expect(savedAfter({ savedAt: 100 }, 50)).to.equal(101);
    expect(savedAfter({ savedAt: 100 }, 100)).to.equal(101);
    expect(savedAfter({ savedAt: 100 }, 200)).to.equal(200);
  });
});
