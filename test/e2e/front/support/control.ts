/** The upstreams of a front that the suite may steer: the gate's two listeners, DocBuilder and the editor. */
export const UPSTREAMS = ['gate', 'gateInternal', 'docbuilder', 'editor'] as const;
export type Upstream = (typeof UPSTREAMS)[number];

/** A request as it reached an upstream. */
export interface Seen {
  method: string;
  target: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Bytes of the body so far. */
  bytes: number;
}

/**
 * The next behaviour of an upstream: it answers with a status, with these very bytes (latin1), with these bytes and then
 * nothing more, never, by closing the connection, or by not listening at all.
 */
export type Behaviour =
  | { status: number }
  | { raw: string; stay?: boolean }
  | { hang: true }
  | { reset: true }
  | { down: true };

export interface Control {
  behave(upstream: Upstream, behaviour: Behaviour): Promise<void>;
  /** Requests that reached an upstream since the last call. */
  seen(upstream: Upstream): Promise<Seen[]>;
}

/**
 * Steers upstreams over HTTP: `POST <url>/<upstream>` with a behaviour, `GET <url>/<upstream>` for what was seen.
 */
export function remoteControl(url: string): Control {
  const call = async (upstream: Upstream, body?: Behaviour): Promise<Response> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${url.replace(/\/$/, '')}/${upstream}`, init);
    if (!response.ok) throw new Error(`the gate control answered ${response.status}`);
    return response;
  };
  return {
    behave: async (upstream, behaviour) => void (await (await call(upstream, behaviour)).text()),
    seen: async (upstream) => (await (await call(upstream)).json()) as Seen[],
  };
}
