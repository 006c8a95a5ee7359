import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

/** Things that a worker must not reach: a server that listens and a file that exists. */
export interface Canary {
  port: number;
  file: string;
  close(): void;
}

/** Puts up a canary server on the loopback interface and a canary file in `directory`. */
export async function createCanary(directory: string): Promise<Canary> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const file = join(directory, 'canary');
  await writeFile(file, 'a worker that reads this is not confined\n', { mode: 0o644 });
  return { port: (server.address() as AddressInfo).port, file, close: () => server.close() };
}
