import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import { docker, hasEngine, sharedEngine } from '../engine.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../../../..');
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** All that the images follow from. */
const SOURCES = [
  ...['Dockerfile', '.dockerignore', '.npmrc', 'LICENSE', 'package.json', 'package-lock.json', 'tsconfig*.json'],
  ...['scripts/build.ts', 'scripts/image.sh', 'schemas/**/*', 'ingress/front/*', 'src/**/*', 'cmd/**/*'],
  ...['examples/editor/**/*', 'test/e2e/cluster/{editor,images}/*'],
];

/** Names of the images of a cluster's tests. */
export interface Images {
  gate: string;
  docbuilder: string;
  front: string;
  controller: string;
  /** The stand-in. */
  editor: string;
}

let building: Promise<Images> | undefined;

/**
 * Builds all images from the project's Dockerfile, unless they have been built from these very sources: on the real
 * bases where the engine is the user's, else on stand-ins for them. Minutes the first time. All of a process that ask
 * wait for the same build.
 */
export function buildImages(cache: string): Promise<Images> {
  building ??= build(cache);
  return building;
}

async function build(cache: string): Promise<Images> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  await sharedEngine();
  const images: Images = {
    gate: `localhost/svc/gate:${version}`,
    docbuilder: `localhost/svc/docbuilder:${version}`,
    front: `localhost/svc/front:${version}`,
    controller: `localhost/svc/controller:${version}`,
    editor: `localhost/svc/stand-in-editor:${version}`,
  };
  const stamp = join(cache, 'built');
  const key = await digest();
  const names = Object.values(images);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === key && (await areThere(names))) return images;
  await mkdir(cache, { recursive: true });
  const bases = hasEngine() ? '' : await step('the bases', 'test/e2e/cluster/images/bases.sh', [cache]);
  const flags = bases.trim().split(' ').filter(Boolean);
  await step('the images', 'scripts/image.sh', ['all', ...flags]);
  const context = join(cache, 'editor');
  await editorContext(context);
  const node = flags.find((flag) => flag.startsWith('NODE_IMAGE=')) ?? `NODE_IMAGE=${await nodeImage()}`;
  await step('the stand-in editor', 'docker', ['build', '--build-arg', node, '--tag', images.editor, context]);
  await writeFile(stamp, key);
  return images;

  async function step(what: string, command: string, parameters: readonly string[]): Promise<string> {
    const started = Date.now();
    const log = join(cache, 'images.log');
    try {
      // Tests that run meanwhile come first.
      const polite = ['-n', '19', command, ...parameters];
      const { stdout, stderr } = await run('nice', polite, { cwd: ROOT, maxBuffer: OUTPUT_BYTES });
      await writeFile(log, stderr);
      process.stderr.write(`[cluster] built ${what} in ${Math.round((Date.now() - started) / 1000)} s\n`);
      return stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      await writeFile(log, stdout + stderr);
      throw new Error(`could not build ${what}, see ${log}:\n${(stdout + stderr).slice(-2000)}`);
    }
  }
}

/** Returns true if the engine has them. */
function areThere(names: readonly string[]): Promise<boolean> {
  return docker('image', 'inspect', ...names).then(
    () => true,
    () => false,
  );
}

async function digest(): Promise<string> {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    hash.update(`${path}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

/** The real base, as the Dockerfile has it. */
async function nodeImage(): Promise<string> {
  return /^ARG NODE_IMAGE=(\S+)/m.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '';
}

/** CommonJS modules call `require`. */
const REQUIRE = "import * as modules from 'node:module'; const require = modules.createRequire(import.meta.url);";

/** Fills a folder from which the stand-in editor's image is built: one file of JavaScript, and what its page shows. */
async function editorContext(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await bundle({
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

/** Gives an image another tag as well. @returns its other name, `localhost/svc/gate:next` */
export async function tagImage(image: string, tag: string): Promise<string> {
  const other = image.replace(/:[^:]*$/, `:${tag}`);
  await docker('tag', image, other);
  return other;
}
