import { expect } from 'chai';
import { detectDelimiter } from '../../../../cmd/docbuilder/source/csv/delimiter.ts';
import { type ArchiveEntry, admitEntry, newBudget } from '../../../../cmd/docbuilder/source/inspect/archive.ts';
import { readProlog } from '../../../../cmd/docbuilder/source/inspect/xml-prolog.ts';
import { sourceName } from '../../../../cmd/docbuilder/source/source-name.ts';
import { AppError } from '../../../../src/common/errors.ts';
import { corrupt } from '../../../support/inspect.ts';

describe('the rules behind inspecting', () => {
  it('no archive may have an entry that a path could be made of, or an encrypted one', () => {
    const plain: ArchiveEntry = { name: 'a/b.xml', compressedSize: 10, size: 20, encrypted: false, method: 8 };
    const refused = (change: Partial<ArchiveEntry>): unknown => {
      try {
        return admitEntry({ ...plain, ...change }, new Set(), newBudget());
      } catch (error) {
        return error;
      }
    };
    expect(refused({})).to.equal(undefined);
    expect(refused({ name: 'a/..b.xml' })).to.equal(undefined);
    for (const name of ['', '/a', '..', 'a/../b', 'C:a', 'a\\b', 'a\0']) {
      expect(refused({ name }), JSON.stringify(name))
        .to.be.instanceOf(AppError)
        .and.to.deep.include(corrupt('bad_archive'));
    }
    expect(refused({ encrypted: true })).to.deep.include(corrupt('bad_archive'));
  });

  it('a record that the end of the sample cut does not speak for a separator', () => {
    const text = 'a;b\nx,y,z,w';
    expect(detectDelimiter(text, false)).to.equal(';');
    expect(detectDelimiter(text, true)).to.equal(',');
  });

  it('an extension is what stands behind the last dot of a name, and nothing of its path', () => {
    const extension = (filename: string): string | undefined => sourceName(undefined, filename).extension;
    expect(extension('Báo cáo.v2.DOCX')).to.equal('docx');
    expect(extension('dir.docx/name')).to.equal(undefined);
    expect(extension('.docx')).to.equal(undefined);
    expect(extension('a.')).to.equal(undefined);
    expect(extension('a.docx ')).to.equal(undefined);
  });

  it('a prolog is read as far as it goes', () => {
    const state = (xml: string): string => readProlog(Buffer.from(xml)).state;
    for (const xml of ['', ' ', '<', '<!', '<!-', '<!--', '<!-- <a> ', '<!DOCT', '<?xml version="1.0"']) {
      expect(state(xml), xml).to.equal('more');
    }
    for (const xml of ['<a', '\ufeff<a/>', '<?xml version="1.0"?>\n<!-- b --><a>', '<!DOCTYPE', '<ấ>']) {
      expect(state(xml), xml).to.equal('root');
    }
    for (const xml of ['a', '<1', '<!ENTITY', '</a>', '<?xml version="1.0"?>a<b/>']) {
      expect(state(xml), xml).to.equal('malformed');
    }
    expect(readProlog(Buffer.from('<!DOCTYPE a PUBLIC "b" "c" [<!ENTITY'))).to.include({ subset: true });
    expect(readProlog(Buffer.from('<!DOCTYPE a PUBLIC "b" "c">'))).to.include({ subset: false });
  });
});
