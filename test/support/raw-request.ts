import { once } from 'node:events';
import { connect } from 'node:net';

/** A request whose first line goes out as it is: clients would put it into normal form. */
export async function rawRequest(
  url: string,
  line: string,
  headers: readonly string[] = [],
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Node takes a client that ends its side for one that has gone: a slow answer would not come.
  socket.write([line, `Host: ${host}`, 'Connection: close', ...headers, '', ''].join('\r\n'));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString();
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  const end = text.indexOf('\r\n\r\n');
  return { status, head: text.slice(0, end), body: text.slice(end + 4) };
}
