import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { AppError } from '../../../../src/common/errors.ts';
import { watchBody } from '../../../../src/common/http/idle.ts';
import { close, listeningPort } from '../../../support/listen.ts';
import { until } from '../../../support/until.ts';

const IDLE_MS = 50;

describe('a body on its way', () => {
  let server: Server;
  let socket: Socket;
  let request: IncomingMessage;
  let watch: ReturnType<typeof watchBody>;
  let late: AppError | undefined;

  afterEach(async () => {
    watch.stop();
    socket.destroy();
    await close(server);
  });

  /** Sends the first of two bytes. @param onFirst is called when it has been read */
  async function begin(onFirst: () => void): Promise<void> {
    late = undefined;
    server = createServer();
    socket = connect(await listeningPort(server.listen(0, '127.0.0.1')), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na');
    [request] = await once(server, 'request');
    watch = watchBody(request, { idleMs: IDLE_MS }, (error) => {
      late = error;
    });
    request.once('data', onFirst);
  }

  it('is not late when a busy process has yet to read it', async () => {
    await begin(() => {
      socket.write('b');
      for (const end = Date.now() + 3 * IDLE_MS; Date.now() < end; );
    });
    await once(request, 'end');
    expect(late).to.equal(undefined);
  });

  it('is not late while nobody takes it, and is when it then does not come', async () => {
    await begin(() => request.pause());
    await pause(3 * IDLE_MS);
    expect(late).to.equal(undefined);
    request.resume();
    await until('it is late', () => late);
    expect(late).to.include({ code: 'bad_request', status: 408 });
  });
});
