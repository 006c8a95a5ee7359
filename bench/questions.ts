import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const OK = 'HTTP/1.1 200 ';
/** The end of an answer with the body `{}`. */
const END = '\r\n\r\n{}';

/**
 * Sends `count` HTTP requests over kept connections, each of which sends its next one once it has its answer. Written
 * on sockets: a client of HTTP would need more of the machine than the server that is measured.
 * @param requests taken in turn
 * @returns seconds
 * @throws when an answer is anything but a 200 with the body `{}`
 */
export async function askAll(
  port: number,
  requests: readonly Buffer[],
  { count, connections }: { count: number; connections: number },
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let sent = 0;
  const next = (): Buffer | undefined => (sent < count ? requests[sent++ % requests.length] : undefined);
  const started = performance.now();
  try {
    await Promise.all(sockets.map((socket) => askOn(socket, next)));
    return (performance.now() - started) / 1000;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

function askOn(socket: Socket, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const ask = (): void => {
      const request = next();
      if (request) socket.write(request);
      else resolve();
    };
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (!answer.startsWith(OK)) return reject(new Error(answer));
      if (!answer.endsWith(END)) return;
      answer = '';
      ask();
    });
    socket.on('error', reject).on('close', () => reject(new Error('the connection was closed')));
    ask();
  });
}
