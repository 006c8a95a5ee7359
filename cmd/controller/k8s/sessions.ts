import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';

/** Bytes that may be on their way to all streams of a connection together: none of them waits for another to be read. */
const WINDOW = 4 * 1024 * 1024;

/** A connection with many answers that go on. */
interface Session {
  http2: ClientHttp2Session;
  /** What its connection was made with. */
  key: string;
  streams: number;
  /** Takes no more streams, and is closed after its last one. */
  retired: boolean;
}

/** Connections of HTTP/2, each for as many streams as the server takes. */
export interface Sessions {
  /**
   * A stream of its own, on a connection of that key, or a new one. Until its answer begins the signal ends it. When a stream is
   * destroyed with an error, its connection takes no others.
   * @returns undefined: the server does not speak HTTP/2
   */
  open(key: string, headers: OutgoingHttpHeaders, signal: AbortSignal): Promise<ClientHttp2Stream | undefined>;
  /** Cuts all connections, and with them all streams. */
  drop(): void;
}

/**
 * @param dial a connection on which both protocols were offered, once TLS is agreed on; the signal ends it until then
 * @param timeoutMs until a connection is ready
 */
export function createSessions(dial: (signal: AbortSignal) => Promise<TLSSocket>, timeoutMs: number): Sessions {
  const sessions = new Set<Session>();
  let dropped = new AbortController();
  /** The server has chosen the other protocol for this key. */
  let without: string | undefined;
  /** One at a time: whoever comes meanwhile waits for it. */
  let making: Promise<Session | undefined> | undefined;

  async function make(key: string): Promise<Session | undefined> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), dropped.signal]);
    const socket = await dial(signal);
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      without = key;
      return undefined;
    }
    const http2 = connect('https://kubernetes', { createConnection: () => socket });
    const session: Session = { http2, key, streams: 0, retired: false };
    http2.on('error', () => retire(session));
    http2.on('goaway', () => retire(session));
    const closed = new AbortController();
    http2.on('close', () => {
      closed.abort(new Error('the connection was closed'));
      session.retired = true;
      sessions.delete(session);
    });
    // How many streams the server takes.
    await once(http2, 'remoteSettings', { signal: AbortSignal.any([signal, closed.signal]) }).catch((error: Error) => {
      http2.destroy();
      throw error;
    });
    if (most(http2) < 1) {
      http2.destroy();
      throw new Error('the server takes no streams');
    }
    http2.setLocalWindowSize(WINDOW);
    sessions.add(session);
    return session;
  }

  function leave(session: Session): void {
    session.streams -= 1;
    if (session.retired) retire(session);
  }

  function retire(session: Session): void {
    session.retired = true;
    if (session.streams === 0) session.http2.close();
  }

  const free = (key: string): Session | undefined =>
    [...sessions].find(
      (one) => !one.retired && !one.http2.destroyed && one.key === key && one.streams < most(one.http2),
    );

  /** A session with a place for one more stream, which is then taken: others are looking, too. */
  async function place(key: string): Promise<Session | undefined> {
    if (without === key) return undefined;
    for (const old of sessions) if (old.key !== key) retire(old);
    for (;;) {
      const session = free(key);
      if (session) {
        session.streams += 1;
        return session;
      }
      making ??= make(key).finally(() => {
        making = undefined;
      });
      if (!(await making)) return undefined;
    }
  }

  return {
    async open(key, headers, signal) {
      const session = await place(key);
      if (!session) return undefined;
      let stream: ClientHttp2Stream;
      try {
        signal.throwIfAborted();
        stream = session.http2.request(headers);
      } catch (error) {
        leave(session);
        throw error;
      }
      const abort = (): void => void stream.destroy(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      // Whoever reads it is told as well.
      stream.on('error', () => undefined);
      stream.once('close', () => {
        signal.removeEventListener('abort', abort);
        // Given up, or cut off: where one stream was dead the others are no better, and those to come even less.
        if (stream.errored) session.retired = true;
        leave(session);
      });
      return stream;
    },
    drop() {
      dropped.abort(new Error('the connection was dropped'));
      dropped = new AbortController();
      without = undefined;
      for (const { http2 } of sessions) http2.destroy();
    },
  };
}

function most({ remoteSettings }: ClientHttp2Session): number {
  return remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
}
