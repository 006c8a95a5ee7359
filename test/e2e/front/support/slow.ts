import { connect, type Socket } from 'node:net';

/** A client that takes connections: each announces a body, and sends it byte by byte. */
export interface SlowClient {
  /** All answers so far, as text. */
  answers: string[];
  stop(): void;
}

export interface SlowOptions {
  count: number;
  /** Address of this machine that it connects from. */
  from: string;
  headers?: readonly string[];
}

const ANNOUNCED = 60_000;
const DRIP_MS = 2_000;

/** Opens `count` connections at once. */
export function startSlowClient(url: URL, { count, from, headers = [] }: SlowOptions): SlowClient {
  const lines = [
    'POST /svc/embed/session HTTP/1.1',
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${ANNOUNCED}`,
  ];
  const head = [...lines, ...headers, '', '{'].join('\r\n');
  const open = new Set<Socket>();
  const answers: string[] = [];

  function start(): void {
    const socket = connect({ host: url.hostname, port: Number(url.port), localAddress: from });
    open.add(socket);
    let answer = '';
    socket.on('connect', () => socket.write(head));
    // A front that has answered reads on for a while before it closes.
    socket.on('data', (chunk) => {
      answer += chunk;
      if (!isWhole(answer)) return;
      answers.push(answer);
      answer = '';
    });
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  }

  const drip = setInterval(() => {
    for (const socket of open) if (socket.writable && !socket.connecting) socket.write(' ');
  }, DRIP_MS);
  for (let i = 0; i < count; i++) start();
  return {
    answers,
    stop() {
      clearInterval(drip);
      for (const socket of open) socket.resetAndDestroy();
    },
  };
}

function isWhole(answer: string): boolean {
  const [head = '', body] = answer.split('\r\n\r\n');
  return body !== undefined && Buffer.byteLength(body) >= Number(/^content-length: (\d+)/im.exec(head)?.[1]);
}
