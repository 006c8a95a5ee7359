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
/** Between looks whether the replica that has a request still lives. */
const LOOK_MS = 1_000;
/** Headers of one connection (RFC 9110, 7.6.1). */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface PassOnHandlers {
  group: Group;
  queue: JobQueue;
  /** Marks what is passed on, so that no client can. */
  passKey: Buffer;
  /** Returns whether the service takes nothing new. */
  isLeaving: () => boolean;
  log: Logger;
}

/**
 * Passes a work request on to another replica that can take it sooner, as it is and before anything of its body is read.
 * A request is passed on once: it bears a mark that only replicas can make.
 */
export function passOn(deps: PassOnHandlers): RequestHandler {
  const { passKey, group, log } = deps;
  const taken = new WeakMap<Replica, number>();
  return async (request, response, next) => {
    const mark = createHmac('sha256', passKey).update(request.originalUrl).digest('hex');
    if (equalStrings(String(request.headers[MARK] ?? ''), mark)) return next();
    const replica = choose(deps, taken);
    if (!replica) return next();
    // Until the next beat tells.
    taken.set(replica, (taken.get(replica) ?? 0) + 1);
    const lives = (): boolean => group.others().some(({ id }) => id === replica.id);
    const sent = await send(request, response, { replica, mark, lives, log });
    if (sent) return;
    log.warn({ replica: replica.address }, 'a request could not be passed on');
    next();
  };
}

/** The replica that is to do a new request instead of this one. */
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
  /** The replica is still one of the group. */
  lives: () => boolean;
  log: Logger;
}

/** @returns false when the replica cannot be reached: nothing of the request was read then */
function send(request: Request, response: Response, { log, ...to }: To): Promise<boolean> {
  const { hostname, port } = new URL(`http://${to.replica.address}`);
  // A connection of its own: one that is reused may be closed just then, when the body is half read.
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
  // A machine that loses power ends no connection, and an answer may be silent for as long as its job takes.
  const look = setInterval(() => {
    if (!to.lives()) upstream.destroy(new Error('the replica is no more'));
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
  upstream.once('response', (answer) => {
    relay(request, response, answer).then(() => resolve(true), reject);
  });
  upstream.on('error', (error) => {
    clearTimeout(late);
    // The client has gone, or has its answer.
    if (response.destroyed) return resolve(true);
    if (!isConnected) return resolve(false);
    log.warn({ err: error, replica: to.replica.address }, 'a replica ended with a request that was passed on to it');
    reject(stopping());
  });
  response.once('close', () => upstream.destroy());
  return promise;
}

/** Hands on an answer. One that comes before the whole request was sent refuses it. */
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
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));
}
