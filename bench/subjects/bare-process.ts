import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { postAuth } from '../../cmd/gate/http/auth.ts';
import { plainApp } from '../../src/common/http/plain-app.ts';
import { createHttpServer } from '../../src/common/http/server.ts';
import { listeningPort } from '../../test/support/listen.ts';

/** The newest files are kept, as the gate keeps the newest versions. */
const KEPT = 5;
const [folder = ''] = process.argv.slice(2);
mkdirSync(folder);
const files: string[] = [];

/** Receives, hashes, writes and flushes a body, and puts the file in its place. */
async function save(request: IncomingMessage): Promise<void> {
  const temporary = join(folder, 'incoming');
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(request, hashing, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }));
  const path = join(folder, hash.digest('hex'));
  await rename(temporary, path);
  const directory = await open(folder);
  await directory.sync();
  await directory.close();
  files.push(path);
}

const server = createServer(async (request, response) => {
  if (request.method === 'PUT') await save(request);
  else request.resume();
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 2 });
  response.end('{}');
  for (const path of files.splice(0, files.length - KEPT)) await rm(path);
}).listen(0, '127.0.0.1');
const express = createHttpServer(
  plainApp().post(
    '/svc/auth',
    postAuth(async () => undefined),
  ),
).listen(0, '127.0.0.1');
process.send?.({ port: await listeningPort(server), expressPort: await listeningPort(express) });
