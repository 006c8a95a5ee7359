import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { readIfThere } from '../../../src/common/fs/exists.ts';

/** The files that browsers get of the gate: the embed library, its types, and the script of the demo page. */
export interface BrowserFiles {
  api: string;
  types: string;
  demo: string;
}

/** Seconds. Pages name the library without a version: a new one has to reach them soon. */
const MAX_AGE = 300;

/** Reads the files that `npm run build` made; from source they are made now, with esbuild, a development dependency. */
export async function loadBrowserFiles(): Promise<BrowserFiles> {
  const [api, demo, types] = await Promise.all([
    script('main'),
    script('demo'),
    readFile(browserFile('api.d.ts'), 'utf8'),
  ]);
  return { api, types, demo };
}

async function script(name: string): Promise<string> {
  return (await readIfThere(browserFile(`${name}.bundle.js`)))?.toString() ?? bundle(name);
}

/** One file of plain JavaScript from `cmd/gate/browser/<name>.ts`, without `eval`, for browsers since 2021 (private members). */
export async function bundle(name: string): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [browserFile(`${name}.ts`)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

function browserFile(name: string): string {
  return join(import.meta.dirname, '../browser', name);
}

/** Returns the routes of the library and of its types (contract: Gate: embedding). */
export function libraryRoutes({ api, types }: Pick<BrowserFiles, 'api' | 'types'>): Record<string, RequestHandler> {
  return {
    '/svc/api.js': serveText('text/javascript; charset=utf-8', api),
    '/svc/api.d.ts': serveText('text/plain; charset=utf-8', types),
  };
}

/** A public file that any page may load, with `crossorigin`, and from a page isolated by `Cross-Origin-Embedder-Policy`. */
function serveText(type: string, text: string): RequestHandler {
  const tag = `"${hash('sha256', text)}"`;
  return (request, response) => {
    response.set({
      ETag: tag,
      'Cache-Control': `public, max-age=${MAX_AGE}`,
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    });
    // An origin that may embed has been named by now (contract: CORS).
    if (!response.hasHeader('Access-Control-Allow-Origin')) response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', type).send(text);
  };
}
