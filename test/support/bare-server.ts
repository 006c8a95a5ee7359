import { createServer } from 'node:http';
import { listeningPort } from './listen.ts';

/** A server that answers 200 to anything, as a process of its own: what a machine takes for that is not the gate's. */
const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
process.send?.(await listeningPort(server));
