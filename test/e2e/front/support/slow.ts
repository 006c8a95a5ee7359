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
  target?: string;
  headers?: readonly string[];
  /** Milliseconds after which a connection that was closed is opened again; without it, it stays closed. */
  againMs?: number;
  onAnswer?: (answer: string) => void;
}

const ANNOUNCED = 60_000;
const DRIP_MS = 2_000;

/** Opens `count` connections at once. */
export function startSlowClient(url: URL, options: SlowOptions): SlowClient {
  const { count, from, target = '/svc/embed/session', headers = [], againMs, onAnswer } = options;
  const head = [
    `POST ${target} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${ANNOUNCED}`,
    ...headers,
    '',
    '{',
  ].join('\r\n');
  const open = new Set<Socket>();
  const answers: string[] = [];
  let stopped = false;

  function start(): void {
    if (stopped) return;
    const socket = connect({ host: url.hostname, port: Number(url.port), localAddress: from });
    open.add(socket);
    let answer = '';
    const finish = (): void => {
      if (answer === '') return;
      answers.push(answer);
      onAnswer?.(answer);
      answer = '';
    };
    socket.on('connect', () => socket.write(head));
    // A front that has answered reads on for a while before it closes.
    socket.on('data', (chunk) => {
      answer += chunk;
      if (isWhole(answer)) finish();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      finish();
      open.delete(socket);
      if (againMs !== undefined) setTimeout(start, againMs);
    });
  }

  const drip = setInterval(() => {
    for (const socket of open) if (socket.writable && !socket.connecting) socket.write(' ');
  }, DRIP_MS);
  for (let i = 0; i < count; i++) start();
  return {
    answers,
    stop() {
      stopped = true;
      clearInterval(drip);
      for (const socket of open) socket.resetAndDestroy();
    },
  };
}

function isWhole(answer: string): boolean {
  const [head = '', body] = answer.split('\r\n\r\n');
  return body !== undefined && Buffer.byteLength(body) >= Number(/^content-length: (\d+)/im.exec(head)?.[1]);
}

// Run as a process, this is one client that holds connections until it is ended. Prints the status of each answer.
if (import.meta.main) {
  const [url = '', count = '', from = ''] = process.argv.slice(2);
  const onAnswer = (answer: string): void => void process.stdout.write(`${answer.slice(9, 12)}\n`);
  startSlowClient(new URL(url), { count: Number(count), from, againMs: 5_000, onAnswer });
}
