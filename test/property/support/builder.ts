import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../../cmd/docbuilder/engine/engine.ts';
import { scriptIn } from '../../../cmd/docbuilder/http/bodies.ts';
import { type EffectivePlan, maxFileBytes } from '../../../cmd/docbuilder/jobs/limits.ts';
import { buildWork, type FlatTask } from '../../../cmd/docbuilder/script/build.ts';
import { scriptFacts } from '../../../cmd/docbuilder/script/check/check.ts';
import { writeScript } from '../../../cmd/docbuilder/script/write-script.ts';
import { createDownloader } from '../../../cmd/docbuilder/source/downloader.ts';
import { createTemporaryFiles } from '../../../cmd/docbuilder/store/temporary-files.ts';
import type { Save, Script } from '../../../src/common/generated/script.ts';
import { parseAllowList } from '../../../src/common/net/allow-list.ts';
import { createOutbound } from '../../../src/common/net/outbound.ts';
import { portOf } from '../../support/listen.ts';
import { silentLogger } from '../../support/logs.ts';

const NOW = new Date('2026-11-21T08:30:00Z');
const PLAN = {
  edition: 'enterprise',
  limits: { max_outputs_per_build: 5, max_script_units: 20_000, max_file_mb: 64 },
} as EffectivePlan;
/** Address of a picture in scripts, and a PNG of 40 by 30 pixels that is found there. */
const PICTURE_URL = 'http://pictures.invalid/picture.png';
const SERVED = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR4nO3NMQ0AAAgDsMmZfxXIQgYcTfo3056IWCwWi8VisVgsFov/xguJMCDM2TzTeAAAAABJRU5ErkJggg==',
  'base64',
);

/** A result of a script. */
export interface File {
  format: Save['format'];
  path: string;
  pages: number;
}

/** All that `POST /v1/build` does with a checked script, without the service around it. */
export interface Builder {
  /** Makes every file that the script wants; they are there until `use` has ended. */
  build(script: Script, use: (files: File[]) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export async function startBuilder(workers: number): Promise<Builder> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-property-'));
  const server = createServer((_, response) => response.end(SERVED)).listen(0, '127.0.0.1');
  const port = await portOf(server);
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${port}`).list, userAgent: 'test' });
  const engine = await createEngine({
    workers,
    maxJobs: 200,
    maxAgeMinutes: 60,
    memoryMb: 1024,
    jobTimeoutSeconds: 60,
    sandbox: 'auto',
    workDir: join(folder, 'work'),
    log: silentLogger(),
  });
  const dependencies = {
    engine,
    downloader: createDownloader(outbound),
    clock: () => NOW.getTime(),
    maxFileBytes: () => maxFileBytes(PLAN),
    writeFlat: (task: FlatTask) => writeScript(scriptIn(task.text), task),
  };
  const url = `http://127.0.0.1:${port}/picture.png`;
  let count = 0;

  return {
    async build(script, use) {
      const text = Buffer.from(JSON.stringify(script).replaceAll(PICTURE_URL, url));
      const own = join(folder, String(count++));
      await mkdir(own);
      const work = buildWork({ text, script: scriptFacts(JSON.parse(text.toString()), PLAN) }, dependencies);
      const files = createTemporaryFiles(temporary);
      const signal = AbortSignal.timeout(60_000);
      const paths: string[] = [];
      const newFile = async () => {
        const fileId = `${paths.length}.${script.save[paths.length]?.format}`;
        paths.push(join(own, fileId));
        return { fileId, path: join(own, fileId) };
      };
      try {
        const run = await work.prepare(signal, files.newPath);
        const { outputs } = await run(signal, newFile);
        await use(
          outputs.map(({ format, pages, fileId }) => ({
            format: format as Save['format'],
            path: join(own, fileId),
            pages: pages ?? 0,
          })),
        );
      } finally {
        await files.remove();
        await rm(own, { recursive: true, force: true });
      }
    },
    async stop() {
      await engine.stop();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
