import { createHmac } from 'node:crypto';
import { request as connectTo, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { equalStrings } from '../../../src/common/crypto/equal.ts';
import { holdsBodyBack, refuseUpload, writeContinue } from '../../../src/common/http/continue.ts';
import { sendStream } from '../../../src/common/http/send-bytes.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Group, Replica } from '../jobs/limits.ts';
import { type JobQueue, stopping } from '../jobs/queue.ts';

const MARK = 'x-svc-passed-on';
const CONNECT_MS = 1_000;
/** Milliseconds between checks that the replica with a request is alive. */
const LOOK_MS = 1_000;
/** Headers of one connection (RFC 9110, 7.6.1). */
const OF_CONNECTION =
  /^(?:connection|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

export interface PassOnHandlers {
  group: Group;
  queue: JobQueue;
  /** Key of the mark that only replicas can make. */
  passKey: Buffer;
  /** Returns whether the service stops. */
  isLeaving: () => boolean;
  log: Logger;
}

/** Passes a work request on to another replica that can run it sooner, before its body is read, and once only. */
export function passOn(deps: PassOnHandlers): RequestHandler {
  const { passKey, group, log } = deps;
  const taken = new WeakMap<Replica, number>();
  return async (request, response, next) => {
    const mark = createHmac('sha256', passKey).update(request.originalUrl).digest('hex');
    if (equalStrings(String(request.headers[MARK] ?? ''), mark)) return next();
    const replica = choose(deps, taken);
    if (!replica) return next();
    // Until the next beat.
    taken.set(replica, (taken.get(replica) ?? 0) + 1);
    const isAlive = (): boolean => group.others().some(({ id }) => id === replica.id);
    if (await send(request, response, { replica, mark, isAlive, log })) return;
    log.warn({ replica: replica.address }, 'a request could not be passed on');
    next();
  };
}

/** Returns the replica to pass a new request on to. */
function choose({ group, queue, isLeaving }: PassOnHandlers, taken: WeakMap<Replica, number>): Replica | undefined {
  const own = isLeaving() ? { free: 0, room: 0 } : queue.places();
  if (own.free > 0) return undefined;
  const others = group.others().filter(({ leaving }) => !leaving);
  const most = (figure: 'free' | 'room'): Replica | undefined => {
    const left = (replica: Replica): number => replica[figure] - (taken.get(replica) ?? 0);
    return others.filter((replica) => left(replica) > 0).sort((a, b) => left(b) - left(a))[0];
  };
  return most('free') ?? (own.room > 0 ? undefined : most('room'));
}

interface To {
  replica: Replica;
  mark: string;
  /** Returns whether the replica is still one of the group. */
  isAlive: () => boolean;
  log: Logger;
}

/** @returns false when the replica cannot be reached; nothing of the request is read then */
function send(request: Request, response: Response, { log, ...to }: To): Promise<boolean> {
  const { hostname, port } = new URL(`http://${to.replica.address}`);
  // A reused connection may be closed at that moment, with the body half read.
  const upstream = connectTo({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: request.method,
    path: request.originalUrl,
    headers: { ...ofMessage(request.headers), [MARK]: to.mark, connection: 'close' },
    agent: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const late = setTimeout(() => upstream.destroy(new Error('no connection in time')), CONNECT_MS);
  // A machine that loses power ends no connection, and an answer may take as long as its job.
  const look = setInterval(() => {
    if (!to.isAlive()) upstream.destroy(new Error('the replica is no more'));
  }, LOOK_MS);
  upstream.once('close', () => clearInterval(look));
  let isConnected = false;
  const begin = (): void => void request.pipe(upstream);
  upstream.once('socket', (socket) =>
    socket.once('connect', () => {
      clearTimeout(late);
      isConnected = true;
      if (holdsBodyBack(request)) upstream.flushHeaders();
      else begin();
    }),
  );
  upstream.once('continue', () => {
    writeContinue(request, response);
    begin();
  });
  const fail = (error: unknown): void => {
    clearTimeout(late);
    // The client has gone, or has its answer.
    if (response.destroyed || !isConnected) {
      resolve(response.destroyed);
      return;
    }
    log.warn({ err: error, replica: to.replica.address }, 'a replica ended with a request that was passed on to it');
    reject(stopping());
  };
  upstream.once('response', (answer) => {
    relay(request, response, answer).then(() => resolve(true), fail);
  });
  upstream.on('error', fail);
  response.once('close', () => upstream.destroy());
  return promise;
}

/** Sends an answer on. One that comes before the end of the request refuses it. */
async function relay(request: Request, response: Response, answer: IncomingMessage): Promise<void> {
  const head = (): void => {
    response.status(answer.statusCode ?? 502);
    for (const [name, value] of Object.entries(ofMessage(answer.headers))) response.setHeader(name, value as string);
  };
  if (request.complete) return sendStream(response, answer, head);
  const text = Buffer.concat(await answer.toArray()).toString();
  head();
  refuseUpload(request, response, text);
}

function ofMessage(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name)));
}
