import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DocumentCallback } from '../../src/common/generated/wire.ts';
import { close, listeningPort } from './listen.ts';

/** A callback as it arrived. */
export interface Arrived {
  headers: IncomingHttpHeaders;
  raw: string;
  body: DocumentCallback;
  /** The status that was answered; null for nothing at all. */
  answer: number | null;
}

/** A receiver of callbacks that answers what `behave` says, null for never. */
export async function callbackReceiver(
  behave: (arrived: Omit<Arrived, 'answer'>) => number | null,
  host = '127.0.0.1',
) {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const raw = await text(request).catch(() => undefined);
    if (raw === undefined) return;
    const received = { headers: request.headers, raw, body: JSON.parse(raw) as DocumentCallback };
    const answer = behave(received);
    arrived.push({ ...received, answer });
    if (answer === null) return;
    const headers = answer >= 300 && answer < 400 ? { Location: '/elsewhere' } : {};
    response.writeHead(answer, headers).end('thanks');
  }).listen(0, host);
  const url = `http://${host}:${await listeningPort(server)}/callbacks`;
  return { url, arrived, stop: () => close(server) };
}

/** Fails three times in ten and says nothing once in ten. */
export function unreliable(): number | null {
  const dice = Math.random();
  if (dice < 0.3) return 500;
  return dice < 0.4 ? null : 204;
}
