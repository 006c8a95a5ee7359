import {
  closeSync,
  createWriteStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { portOf } from '../../test/support/listen.ts';
import { stamped } from '../stamp.ts';

/** Beside which older files go, as older versions do. */
const KEPT = 5;
const [folder = '', content = ''] = process.argv.slice(2);
const bytes = readFileSync(content);
mkdirSync(folder);
let received = 0;

/** What makes a file outlive a power cut, and nothing else. @returns milliseconds */
function write(round: number): number {
  stamped(bytes, round);
  const started = performance.now();
  const temporary = join(folder, 'incoming');
  const file = openSync(temporary, 'wx', 0o600);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  fsyncSync(file);
  closeSync(file);
  keep(temporary, String(round));
  return performance.now() - started;
}

/** The same of bytes that arrive. */
async function receive(request: IncomingMessage): Promise<void> {
  const temporary = join(folder, 'arriving');
  await pipeline(request, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }));
  keep(temporary, `received-${received}`);
}

function keep(temporary: string, name: string): void {
  renameSync(temporary, join(folder, name));
  const directory = openSync(folder, 'r');
  fsyncSync(directory);
  closeSync(directory);
}

const server = createServer(async (request, response) => {
  if (request.method === 'PUT') await receive(request);
  else request.resume();
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 2 });
  response.end('{}');
  if (request.method === 'PUT') rmSync(join(folder, `received-${received++ - KEPT}`), { force: true });
}).listen(0, '127.0.0.1');
process.on('message', (round: number) => {
  const ms = write(round);
  rmSync(join(folder, String(round - KEPT)), { force: true });
  process.send?.(ms);
});
process.send?.(await portOf(server));
