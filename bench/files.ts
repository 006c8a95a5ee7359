import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prices } from './documents/sheet.ts';
import { deck } from './documents/slides.ts';
import { letter, report } from './documents/text.ts';
import { convertCall, type Source, sendOk, startService } from './subjects/service.ts';

/** A file to be converted; the same bytes for every subject. */
export interface BenchFile extends Source {
  path: string;
}

export interface BenchFiles {
  /** A page of text, a small sheet, three slides. */
  small: readonly [docx: BenchFile, xlsx: BenchFile, pptx: BenchFile];
  /** 30 pages. */
  report: BenchFile;
}

/** Makes the files in `directory`: flat ODF, turned by the service into what Office would send. */
export async function makeFiles(directory: string): Promise<BenchFiles> {
  const folder = join(directory, 'files');
  await mkdir(folder);
  const service = await startService(directory, { SVC_DOCBUILDER_WORKERS: '1' });
  const make = async (stem: string, flat: 'fodt' | 'fods' | 'fodp', to: string, bytes: Buffer): Promise<BenchFile> => {
    const { content } = await sendOk(service, convertCall({ name: `${stem}.${flat}`, bytes }, to));
    const name = `${stem}.${to}`;
    const path = join(folder, name);
    await writeFile(path, content);
    return { name, path, bytes: content };
  };
  try {
    return {
      small: [
        await make('letter', 'fodt', 'docx', letter()),
        await make('prices', 'fods', 'xlsx', prices()),
        await make('deck', 'fodp', 'pptx', deck()),
      ],
      report: await make('report', 'fodt', 'docx', report()),
    };
  } finally {
    await service.stop();
  }
}
