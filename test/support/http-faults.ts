import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { listeningPort } from './listen.ts';

/** Handles a request; returns whether it did. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean | undefined;

/** An HTTP server in front of another one that can answer in its place, and knows what was asked for. */
export type HttpFaults = Awaited<ReturnType<typeof startHttpFaults>>;

/** @param target port of the real server; it gets the client's Host header */
export async function startHttpFaults(target: number) {
  const same = (content: Readable): Readable => content;
  let fault: Fault = () => false;
  let [up, down] = [same, same];
  /** Method, host and target of each request so far. */
  const seen: { method: string; host: string; target: string }[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    seen.push({ method, host: headers.host ?? '', target: url });
    if (fault(incoming, response)) return;
    const onward = request({ port: target, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      if (response.destroyed) return void answer.destroy();
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      pipeline(down(answer), response, () => {});
    });
    onward.on('error', () => response.destroy());
    pipeline(up(incoming), onward, () => {});
  });
  server.listen(0, '127.0.0.1');
  return {
    port: await listeningPort(server),
    seen,
    /** Does this from now on. */
    fail: (next: Fault) => {
      fault = next;
    },
    /** Changes contents from now on, on their way there or back. */
    alter: (changes: { up?: (content: Readable) => Readable; down?: (content: Readable) => Readable }) => {
      [up, down] = [changes.up ?? same, changes.down ?? same];
    },
    /** Passes all on as it is again. */
    heal: () => {
      fault = () => false;
      [up, down] = [same, same];
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
