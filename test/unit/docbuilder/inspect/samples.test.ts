import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { useFolder } from '../../../support/folder.ts';
import { verdict } from '../../../support/inspect.ts';
import samples from './samples.json' with { type: 'json' };

/**
 * Documents as LibreOffice 7.4 writes them (the odt that is encrypted as a whole: 25.2), of kinds that no test can make by
 * itself; packed, in base64. The encrypted ones open with `bí mật` (docx, xlsx) and `secret` (doc, xls, odt).
 */
describe('inspecting what LibreOffice wrote', () => {
  const folder = useFolder();
  for (const [name, packed] of Object.entries(samples)) {
    it(name, async () => {
      const format = /\b(docx?|xlsx?|odt)\b/.exec(name)?.[0] ?? '';
      const path = await folder.file(gunzipSync(Buffer.from(packed, 'base64')));
      const found = await verdict(path, `a.${format}`, { hasPassword: true });
      expect(found).to.deep.include({ format, encrypted: name.startsWith('encrypted') });
      expect('macros' in found && found.macros?.reason).to.equal(name.includes('Basic') ? 'basic' : undefined);
    });
  }
});
