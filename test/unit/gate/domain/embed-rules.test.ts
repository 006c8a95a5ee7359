import { expect } from 'chai';
import { createLinks } from '../../../../cmd/gate/domain/links.ts';
import { uiDefaults, viewFlags } from '../../../../cmd/gate/domain/ui.ts';
import type { AppError } from '../../../../src/common/errors.ts';

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

  it('are made anew with their whole time, for the same version at the same place', () => {
    const { now } = clock;
    const link = links.sign('https://office.example.com/docs', docId, 3);
    clock.now = now + 24 * 3_600_000;
    expect(code(docId, query(link))).to.equal('link_expired');
    const renewed = links.renew(link, docId, 3);
    expect(renewed).to.equal(links.sign('https://office.example.com/docs', docId, 3));
    expect(links.verify(docId, query(renewed))).to.equal(3);
    clock.now = now;
  });
});

describe('ui', () => {
  it('is written for the family of the document, and only what the portal said', () => {
    const ui = { toolbar: 'tabbed', sidebar: false, statusBar: true, ruler: false } as const;
    for (const [fileType, family] of [
      ['rtf', 'Text'],
      ['csv', 'Spreadsheet'],
      ['odp', 'Presentation'],
    ] as const)
      expect(uiDefaults(ui, fileType)).to.equal(
        `UIMode=tabbed;${family}Sidebar=false;${family}Statusbar=true;${family}Ruler=false`,
      );
    expect(uiDefaults({}, 'docx')).to.equal('');
  });

  it('hides and refuses what the portal switched off', () => {
    const flags = ['HidePrintOption', 'DisablePrint', 'HideExportOption', 'DisableExport', 'DisableCopy'];
    const all = (value: boolean) => Object.fromEntries(flags.map((flag) => [flag, value]));
    expect(viewFlags({})).to.deep.equal(all(false));
    const off = { print: false, export: false, copy: false, userList: false };
    expect(viewFlags(off)).to.deep.equal({ ...all(true), HideUserList: 'true' });
  });
});
