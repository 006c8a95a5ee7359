import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFormat, TargetFormat } from '../formats.ts';
import { removeFolder } from './run-directory.ts';
import type { EngineOutput } from './task.ts';
import { Worker, type WorkerSettings } from './worker.ts';

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';

function flat(type: string, body: string): string {
  return `<office:document xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" xmlns:draw="${ODF}:drawing:1.0"
office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${type}">
<office:body><office:${type}>${body}</office:${type}></office:body></office:document>`;
}

type Step = readonly [TargetFormat, ...(TargetFormat | 'png')[]];

/**
 * A document of each family, and its conversions in the formats of most requests. The first target of a step is the source
 * of the next. Together they load sheets hidden and shown, and draw a picture.
 */
const ROUTES: readonly [content: string, source: SourceFormat, ...steps: Step[]][] = [
  [flat('text', '<text:p>Xin chào</text:p>'), 'fodt', ['docx'], ['pdf', 'png']],
  ['a,1\nb,2\n', 'csv', ['xlsx', 'pdf'], ['ods']],
  [flat('presentation', '<draw:page draw:name="1"/>'), 'fodp', ['pptx'], ['pdf']],
];
const MAX_BYTES = 1024 * 1024;

/** Starts a worker (Worker.start) and converts a small document of each family: LibreOffice loads its parts on first use. */
export async function startWarmWorker(slot: number, directory: string, settings: WorkerSettings): Promise<Worker> {
  const worker = await Worker.start(slot, directory, settings);
  const folder = `${directory}-warm-up`;
  const signal = AbortSignal.timeout(settings.startMs);
  try {
    await mkdir(folder, { mode: 0o700 });
    for (const [content, source, ...steps] of ROUTES) {
      let from = source;
      let input = join(folder, `${source}.0`);
      await writeFile(input, content);
      for (const [target, ...others] of steps) {
        const output = (to: TargetFormat | 'png') => outputTo(to, join(folder, `${from}.${to}`));
        const outputs = [output(target), ...others.map(output)] as const;
        await worker.run({ input, from, stem: 'warm-up', source: {}, outputs, maxOutputBytes: MAX_BYTES }, signal);
        await worker.settled();
        input = outputs[0].path;
        from = target as SourceFormat;
      }
    }
    return worker;
  } catch (error) {
    await worker.end();
    throw error;
  } finally {
    await removeFolder(folder, settings.log);
  }
}

function outputTo(to: TargetFormat | 'png', path: string): EngineOutput {
  return to === 'png' ? { path, to, image: { page: 1, width: 64, height: 64 } } : { path, to, options: {} };
}
