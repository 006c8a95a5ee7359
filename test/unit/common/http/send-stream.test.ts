import { once } from 'node:events';
import { createReadStream, type ReadStream } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { sendStream } from '../../../../src/common/http/send-bytes.ts';
import { useServers } from '../../../support/canary.ts';
import { useFolder } from '../../../support/folder.ts';
import { until } from '../../../support/service.ts';

describe('a file as an answer', () => {
  const folder = useFolder();
  let path: string;
  const serve = useServers();
  before(async () => {
    path = await folder.file(Buffer.alloc(8_000_000, 'x'));
  });

  /** Returns how the answer to one client ended, and what it read from; `meet` sees it before anything is sent. */
  async function answered(meet: (client: Socket, response: ServerResponse) => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<{ source: ReadStream; error: unknown }>();
    const { port } = await serve(async (_request, response) => {
      const source = createReadStream(path);
      await meet(client, response);
      const error = await sendStream(response, source, () => {}).catch((thrown: unknown) => thrown);
      resolve({ source, error });
    });
    const client = connect(port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const ended = await promise;
    client.destroy();
    return ended;
  }
  /** File descriptors of this process that are open on the file. */
  const open = async () => {
    const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
    return (await Promise.all(links)).filter((target) => target === path).length;
  };
  const LEAVING: [when: string, (client: Socket, response: ServerResponse) => Promise<void>][] = [
    [
      'before it began',
      async (client, response) => {
        client.destroy();
        await once(response, 'close');
      },
    ],
    ['in the middle', async (client) => void client.once('data', () => client.destroy())],
  ];
  for (const [when, leave] of LEAVING) {
    it(`is closed when the client hangs up ${when}, and that is no failure`, async () => {
      const { source, error } = await answered(leave);
      expect([error, source.destroyed]).to.deep.equal([undefined, true]);
      await until('the file is closed', async () => (await open()) === 0 || undefined);
    });
  }
});
