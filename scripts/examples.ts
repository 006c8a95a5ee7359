/**
 * Makes every example in every format, and the pictures of the guides.
 * `node scripts/examples.ts [folder]`; the folder is `.cache/examples` where none is named.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createLogger } from '../src/common/log.ts';
import { scriptExamples, templateExamples } from './examples/files.ts';
import { buildExample, type Result, renderExample } from './examples/make.ts';
import { drawPage, writePicture } from './examples/picture.ts';
import { startLocalDocbuilder } from './support/docbuilder.ts';
import { writeLicense } from './support/license.ts';

/** Pages that the guides show: name of the PDF, and which page. */
const PICTURES: Readonly<Record<string, number>> = {
  'invoice.text': 1,
  'report.text': 1,
  'budget.sheet': 1,
  'pitch.slides': 3,
  certificate: 1,
};

const root = resolve(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? join(root, '.cache/examples'));
await mkdir(join(folder, 'templates'), { recursive: true });

const home = await mkdtemp(join(tmpdir(), 'svc-examples-'));
const settings = { SVC_DOCBUILDER_DATA_DIR: join(home, 'data'), ...(await writeLicense(home)) };
const service = await startLocalDocbuilder(settings, createLogger({ service: 'docbuilder', level: 'warn' }));
try {
  for (const example of await scriptExamples()) await keep(example.name, await buildExample(service, example));
  for (const example of await templateExamples()) {
    await writeFile(join(folder, 'templates', `${example.name}.docx`), example.template);
    await keep(example.name, [
      await renderExample(service, example, 'docx'),
      await renderExample(service, example, 'pdf'),
    ]);
  }
} finally {
  await service.docbuilder.stop();
  await rm(home, { recursive: true, force: true });
}
for (const [name, page] of Object.entries(PICTURES)) {
  const pdf = await readFile(join(folder, `${name}.pdf`));
  await writePicture(name, await drawPage(pdf, page, `${name}, page ${page}`));
}

async function keep(name: string, results: readonly Result[]): Promise<void> {
  for (const { format, content, pages } of results) {
    const file = join(folder, `${name}.${format}`);
    await writeFile(file, content);
    console.log(`${file}  ${content.length} bytes${pages > 0 ? `, ${pages} pages` : ''}`);
  }
}
