import { cp, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** What comes from CommonJS asks for modules in its own way. */
const REQUIRE = "import * as modules from 'node:module'; const require = modules.createRequire(import.meta.url);";

/** Fills a folder from which the stand-in editor's image is built: one file of JavaScript, and what its page shows. */
export async function editorContext(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(ROOT, 'test/e2e/cluster/editor/main.ts')],
    outfile: join(folder, 'main.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: REQUIRE },
    logLevel: 'error',
  });
  await cp(join(ROOT, 'examples/editor/page'), join(folder, 'page'), { recursive: true });
  await cp(join(ROOT, 'test/e2e/cluster/editor/Dockerfile'), join(folder, 'Dockerfile'));
}
