import { cp, symlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import express from 'express';
import { type BrowserFiles, libraryRoutes, loadBrowserFiles } from '../../../../cmd/gate/http/api-js.ts';
import { cors } from '../../../../cmd/gate/http/cors.ts';
import { type Canary, startCanary } from '../../../support/canary.ts';
import { useFolder } from '../../../support/folder.ts';

const MAX_GZIPPED = 12.6 * 1024;

const ROOT = resolve(import.meta.dirname, '../../../..');

describe('GET /svc/api.js', () => {
  const folder = useFolder();
  let server: Canary;
  let files: BrowserFiles;
  let url: string;

  before(async () => {
    files = await loadBrowserFiles();
    const app = express();
    app.disable('etag');
    app.use(cors({ allowedOrigins: ['https://allowed.example.com'] }));
    for (const [path, get] of Object.entries(libraryRoutes(files))) app.get(path, get);
    server = await startCanary(app);
    url = `http://127.0.0.1:${server.port}`;
  });
  after(() => server.close());

  it('is under 12.6 KiB gzipped', () => {
    expect(gzipSync(files.api).length).to.be.within(1000, MAX_GZIPPED);
  });

  it('is the same from a folder with any name', async () => {
    const clone = folder.at('Dự án #1');
    for (const part of ['cmd/gate/browser', 'cmd/gate/http/api-js.ts', 'src/common/fs/exists.ts', 'tsconfig.json'])
      await cp(resolve(ROOT, part), resolve(clone, part), { recursive: true });
    await symlink(resolve(ROOT, 'node_modules'), resolve(clone, 'node_modules'));
    const itsOwn = await import(pathToFileURL(resolve(clone, 'cmd/gate/http/api-js.ts')).href);
    expect(await itsOwn.loadBrowserFiles()).to.deep.equal(files);
  });

  it('is one script that makes no code from text, writes no markup and keeps nothing', () => {
    expect(files.api).to.match(/^"use strict";\(\(\)=>\{/);
    expect(files.api).to.not.match(
      /\beval\b|\bFunction\(|innerHTML|outerHTML|document\.write|localStorage|sessionStorage|\.cookie\b|\bimport\b|\brequire\b/,
    );
  });

  it('may be loaded by any page, isolated ones too, and is asked for again soon', async () => {
    const response = await fetch(`${url}/svc/api.js`, { headers: { Origin: 'https://portal.example.com' } });
    expect(await response.text()).to.equal(files.api);
    expect(response.status).to.equal(200);
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=300',
    });
  });

  it('names the origin of a page that may embed, as every answer of the gate does', async () => {
    const origin = 'https://allowed.example.com';
    const { headers } = await fetch(`${url}/svc/api.js`, { headers: { Origin: origin } });
    expect([headers.get('access-control-allow-origin'), headers.get('vary')]).to.deep.equal([origin, 'Origin']);
  });

  it('is not sent again to those who have it', async () => {
    const tag = (await fetch(`${url}/svc/api.js`)).headers.get('etag') ?? '';
    const ask = (known: string) =>
      fetch(`${url}/svc/api.js`, { headers: { 'If-None-Match': known, 'Cache-Control': 'max-age=0' } });
    const again = await ask(tag);
    expect([again.status, await again.text()]).to.deep.equal([304, '']);
    expect((await ask('"x"')).status).to.equal(200);
  });

  it('has its types beside it', async () => {
    const response = await fetch(`${url}/svc/api.d.ts`);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(await response.text()).to.contain('declare namespace SVC');
  });
});
