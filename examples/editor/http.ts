import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Answers and ends. */
export function send(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders = {},
  body: string | Uint8Array = '',
): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

/** The body as text. @throws {RangeError} when it is longer than `max` bytes */
export async function readText(request: IncomingMessage, max: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > max) throw new RangeError('body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
