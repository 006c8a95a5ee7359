import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { milliseconds, table, times } from '../format.ts';
import type { Bench, Outcome } from '../measurement.ts';
import { median, pairedRatio } from '../statistics.ts';
import { plainEnvironment, timeCommand } from '../subjects/command.ts';
import { convertCall, formCall, sendOk, startService } from '../subjects/service.ts';

const WARM_UP = 20;
const DEMANDED = 2;
const WIDTH = 320;
/** The two ways to draw the PDF: as pdftoppm does by itself, and no larger than needed. */
const DRAWINGS = {
  'at 150 dots per inch, its default': ['-r', '150'],
  [`at ${WIDTH} pixels`]: ['-scale-to', String(WIDTH)],
};

/** A thumbnail of a one-page docx against its PDF from the same service, drawn by pdftoppm. */
export async function measureThumbnails({ directory, files, options }: Bench): Promise<Outcome> {
  const service = await startService(directory, { SVC_DOCBUILDER_WORKERS: '1' });
  const folder = join(directory, 'thumbnails');
  await mkdir(folder);
  const [docx] = files.small;
  const thumbnail = formCall('/v1/extract/thumbnail', docx, { width: String(WIDTH), height: String(WIDTH) });
  const pdf = join(folder, 'page.pdf');
  const ways: [name: string, take: () => Promise<number>][] = [
    ['thumbnail', async () => (await sendOk(service, thumbnail)).ms],
    ...Object.entries(DRAWINGS).map(([name, options]): [string, () => Promise<number>] => [
      name,
      async () => {
        const { ms, content } = await sendOk(service, convertCall(docx, 'pdf'));
        await writeFile(pdf, content);
        const parameters = ['-png', '-f', '1', '-l', '1', '-singlefile', ...options, pdf, join(folder, 'page')];
        return ms + (await timeCommand('pdftoppm', parameters, plainEnvironment(folder)));
      },
    ]),
  ];
  const ms = new Map<string, number[]>(ways.map(([name]) => [name, []]));
  try {
    for (let count = 0; count < WARM_UP; count++) for (const [, take] of ways) await take();
    for (let round = 0; round < options.thumbnailRounds; round++) {
      const first = round % ways.length;
      for (const [name, take] of [...ways.slice(first), ...ways.slice(0, first)]) ms.get(name)?.push(await take());
    }
  } finally {
    await service.stop();
  }
  const own = ms.get('thumbnail') ?? [];
  const others = Object.keys(DRAWINGS).map((name) => ({ name, ratio: pairedRatio(ms.get(name) ?? [], own) }));
  const [usual] = others;
  return {
    rows: [
      {
        what: 'thumbnail of a one-page docx against converting it to PDF and drawing that',
        measured: others.map(({ name, ratio }) => `${times(ratio)} (${name})`).join('; '),
        demanded: `at least ${times(DEMANDED)}`,
        holds: usual !== undefined && usual.ratio >= DEMANDED,
      },
    ],
    notes: `\`POST /v1/extract/thumbnail\` of the small docx, ${WIDTH} pixels, against \`POST /v1/convert\` to PDF and \`pdftoppm -png\` of the first page; ${options.thumbnailRounds} rounds. The first figure counts.

${table(
  ['way', 'median'],
  [...ms].map(([name, values]) => [name === 'thumbnail' ? name : `PDF, drawn ${name}`, milliseconds(median(values))]),
)}`,
  };
}
