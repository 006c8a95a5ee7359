import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFormat, TargetFormat } from '../domain/formats.ts';
import { startWorker, type Worker, type WorkerSettings } from './worker.ts';

const NAMESPACES = Object.entries({ office: 'office', text: 'text', draw: 'drawing' })
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ');

function flat(type: string, body: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${type}">
<office:body><office:${type}>${body}</office:${type}></office:body></office:document>`;
}

/** A document of each family and the way it goes: by the formats that most requests have. */
const ROUTES: readonly [content: string, formats: readonly [SourceFormat, ...TargetFormat[]]][] = [
  [flat('text', '<text:p>Xin chào</text:p>'), ['fodt', 'docx', 'pdf']],
  ['a,1\nb,2\n', ['csv', 'xlsx', 'pdf']],
  [flat('presentation', '<draw:page draw:name="1"/>'), ['fodp', 'pptx', 'pdf']],
];
const WARM_UP_MS = 20_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Starts a worker (see startWorker) and has it do a small job of each family: LibreOffice loads its parts when they
 * are first used, and no request should pay for that.
 */
export async function startWarmWorker(slot: number, directory: string, settings: WorkerSettings): Promise<Worker> {
  const worker = await startWorker(slot, directory, settings);
  const folder = await mkdtemp(`${directory}-warm-up-`);
  const signal = AbortSignal.timeout(WARM_UP_MS);
  try {
    for (const [content, [source, ...targets]] of ROUTES) {
      let from: SourceFormat = source;
      let input = join(folder, `${source}.0`);
      await writeFile(input, content);
      for (const to of targets) {
        const output = join(folder, `${from}.${to}`);
        await worker.run(
          { kind: 'convert', input, from, output, to, stem: 'warm-up', options: {}, maxOutputBytes: MAX_BYTES },
          signal,
        );
        await worker.settled();
        input = output;
        from = to as SourceFormat;
      }
    }
    return worker;
  } catch (error) {
    await worker.end();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
