import { expect } from 'chai';
import { detectDelimiter } from '../../../../cmd/docbuilder/source/csv.ts';
import { readProlog } from '../../../../cmd/docbuilder/source/inspect/xml-prolog.ts';
import { ARCHIVE_LIMITS, admitEntry, newBudget } from '../../../../cmd/docbuilder/source/inspect/zip.ts';
import { sourceName } from '../../../../cmd/docbuilder/source/source-name.ts';
import { AppError } from '../../../../src/common/errors.ts';

const { entries, bytes, denseBytes } = ARCHIVE_LIMITS;
const MANY = Array.from({ length: entries }, () => ({}));
const LARGE = { size: bytes, compressedSize: bytes / 100 };
const DENSE = { size: denseBytes, compressedSize: 1000 };

interface Changes {
  name?: string;
  compressedSize?: number;
  size?: number;
  encrypted?: boolean;
  method?: number;
}

describe('the rules behind inspecting', () => {
  /** The reason why the last of the entries is refused; undefined where all are admitted. */
  function refusal(list: readonly Changes[]): unknown {
    const budget = newBudget();
    try {
      for (const { name: fileName = 'a', compressedSize = 10, size = 20, encrypted = false, method = 8 } of list) {
        const [uncompressedSize, compressionMethod] = [size, method];
        admitEntry(
          { fileName, compressedSize, uncompressedSize, compressionMethod, isEncrypted: () => encrypted },
          budget,
        );
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.detail['reason'];
    }
  }

  for (const [what, list, reason] of [
    ['plain names', [{ name: 'a/b.xml' }, { name: 'a/..b.xml' }]],
    ...['', '/a', '..', 'a/../b', 'C:a', 'a\\b', 'a\0'].map((name) => [name, [{ name }], 'bad_archive'] as const),
    ['an encrypted entry', [{ encrypted: true }], 'bad_archive'],
    ['stored and deflated entries', [{ method: 0 }, { method: 8 }]],
    ...[1, 9, 12, 14, 93, 95].map((method) => [`method ${method}`, [{ method }], 'bad_archive'] as const),
    ['an entry packed to a little more than it is', [{ size: 1000, compressedSize: 2124 }]],
    ['an entry packed to much more than it is', [{ size: 1000, compressedSize: 2125 }], 'bad_archive'],
    ['most entries', MANY],
    ['more entries', [...MANY, {}], 'zip_bomb'],
    ['most bytes', [LARGE]],
    ['more bytes', [LARGE, { size: 1, compressedSize: 1 }], 'zip_bomb'],
    ['most dense bytes, and others', [DENSE, { size: 200, compressedSize: 1 }]],
    ['more dense bytes', [DENSE, { size: 201, compressedSize: 1 }], 'zip_bomb'],
  ] as [string, Changes[], string?][]) {
    it(`an archive with ${JSON.stringify(what)}: ${reason ?? 'admitted'}`, () => {
      expect(refusal(list)).to.equal(reason);
    });
  }

  it('a record that the end of the sample cut does not count for a separator', () => {
    const text = 'a;b\nx,y,z,w';
    expect(detectDelimiter(text, false)).to.equal(';');
    expect(detectDelimiter(text, true)).to.equal(',');
  });

  it('an extension stands behind the last dot of a name, and is nothing of its path', () => {
    const extension = (filename: string): string | undefined => sourceName(undefined, filename).extension;
    expect(extension('Báo cáo.v2.DOCX')).to.equal('docx');
    for (const name of ['dir.docx/name', '.docx', 'a.', 'a.docx ']) expect(extension(name), name).to.equal(undefined);
  });

  for (const [state, texts] of Object.entries({
    more: ['', ' ', '<', '<!', '<!-', '<!--', '<!-- <a> ', '<!DOCT', '<?xml version="1.0"'],
    root: ['<a', '\ufeff<a/>', '<?xml version="1.0"?>\n<!-- b --><a>', '<!DOCTYPE', '<ấ>'],
    malformed: ['a', '<1', '<!ENTITY', '</a>', '<?xml version="1.0"?>a<b/>'],
  })) {
    it(`a prolog is read up to ${state}`, () => {
      for (const xml of texts) expect(readProlog(Buffer.from(xml)).state, xml).to.equal(state);
    });
  }

  it('a document type may have a subset', () => {
    expect(readProlog(Buffer.from('<!DOCTYPE a PUBLIC "b" "c" [<!ENTITY'))).to.include({ subset: true });
    expect(readProlog(Buffer.from('<!DOCTYPE a PUBLIC "b" "c">'))).to.include({ subset: false });
  });
});
