import { open, writeFile } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { parseContentTypes } from '../../cmd/gate/domain/content.ts';
import { detectContent } from '../../cmd/gate/outbound/content.ts';
import { ooxmlParts, zip } from '../../scripts/support/documents.ts';
import { useFolder } from '../support/folder.ts';
import { type RawEntry, rawZip } from '../support/hostile.ts';
import { processorTime } from '../support/processor-time.ts';

const MiB = 1024 * 1024;
const TYPES = '[Content_Types].xml';

describe('a package made to be looked at for long', () => {
  const folder = useFolder();

  const look = async (bytes: Buffer, signal = AbortSignal.timeout(60_000)) => {
    const path = folder.at('file');
    await writeFile(path, bytes);
    return detectContent(path, { signal });
  };
  /** Entries of one name that share the packed bytes of the first. */
  const repeated = (count: number, name: string, content: string): Buffer => {
    const entry: RawEntry = { name, content: '', packed: deflateRawSync(content), size: content.length };
    return rawZip([entry, ...Array.from({ length: count - 1 }, () => ({ ...entry, offset: 0 }))]);
  };

  it('with names of types that never end', async () => {
    for (const text of ['wordprocessingml.', 'ms-word.main+xm', 'ms-excel.a.', 'presentationml..']) {
      const types = text.repeat(Math.ceil((4 * MiB) / text.length));
      const spent = processorTime();
      expect(parseContentTypes(types)).to.equal(undefined);
      expect(spent(), text).to.be.below(1000);
      expect(await look(zip({ [TYPES]: types })), text).to.equal('zip');
    }
  });

  it('with one entry listed thousands of times', async () => {
    for (const name of [TYPES, 'mimetype']) {
      const file = repeated(2_000, name, ' '.repeat(4 * MiB));
      const spent = processorTime();
      expect(await look(file)).to.equal('zip');
      expect(spent(), name).to.be.below(5000);
    }
  });

  it('is looked at until the download has to be over, and no longer', async () => {
    const entries = Array.from({ length: 20_000 }, (_, index) => ({ name: `word/${index}`, content: '', method: 0 }));
    const late = new Error('the time is up');
    const controller = new AbortController();
    setTimeout(() => controller.abort(late), 20);
    const error = await look(rawZip(entries), controller.signal).catch((thrown: unknown) => thrown);
    expect(error).to.equal(late);
  });

  it('does not hide the types of the main part that there are', async () => {
    const pad = 'wordprocessingml.'.repeat(1000);
    const { [TYPES]: types, ...parts } = ooxmlParts('dotm');
    expect(await look(zip({ [TYPES]: `${pad}${types}`, ...parts }))).to.equal('docx');
  });

  it('leaves no file open', async () => {
    const path = folder.at('other');
    await writeFile(path, zip({ [TYPES]: ' '.repeat(5 * MiB) }));
    const { fd } = await open(path).then(async (file) => ({ fd: file.fd, closed: await file.close() }));
    for (let round = 0; round < 20; round++) await detectContent(path, { signal: AbortSignal.timeout(5000) });
    const after = await open(path);
    expect(after.fd).to.be.below(fd + 10);
    await after.close();
  });
});
