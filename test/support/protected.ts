import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findOffice } from '../../cmd/docbuilder/engine/office.ts';
import { writeProfile } from '../../cmd/docbuilder/engine/profile.ts';
import type { SourceFormat } from '../../cmd/docbuilder/formats.ts';

const SCRIPT = resolve(import.meta.dirname, '../engine/protect.py');
/** How LibreOffice calls the formats that it protects. */
const FILTERS: Partial<Record<SourceFormat, string>> = {
  docx: 'MS Word 2007 XML',
  odt: 'writer8',
  doc: 'MS Word 97',
  xls: 'MS Excel 97',
  xlsx: 'Calc MS Excel 2007 XML',
  pptx: 'Impress MS PowerPoint 2007 XML',
};

/**
 * Documents that open with a password, by their format.
 * @param wanted of each the flat OpenDocument source, its extension and the format
 */
export async function protectedDocuments(
  password: string,
  wanted: readonly (readonly [source: SourceFormat, content: string, target: SourceFormat])[],
): Promise<ReadonlyMap<SourceFormat, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-protected-'));
  try {
    const office = await findOffice();
    const profile = join(folder, 'profile');
    await mkdir(profile);
    await writeProfile(profile, office);
    const files = wanted.map(([source, content, target]) => ({
      ...{
        target,
        content,
        input: join(folder, `open.${target}.${source}`),
        output: join(folder, `protected.${target}`),
      },
      filter: FILTERS[target] ?? '',
    }));
    for (const { input, content } of files) await writeFile(input, content);
    const jobs = files.flatMap(({ input, output, filter }) => [input, output, filter]);
    await promisify(execFile)(office.python, ['-B', SCRIPT, office.program, profile, password, ...jobs], {
      env: { HOME: profile, PATH: '/usr/bin:/bin', SAL_USE_VCLPLUGIN: 'svp', LANG: 'C.UTF-8' },
    });
    return new Map(
      await Promise.all(files.map(async ({ target, output }) => [target, await readFile(output)] as const)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
