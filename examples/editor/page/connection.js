const DOCUNLOADING_RETRIES = 10;

/**
 * The socket to the editor's server, connected again as the real page does it (Collabora Online 25.04.9): once at once,
 * then not before the user comes back to the window and clicks. A document that is just unloading is asked for again
 * after 0.5, 2, 4.5 s and so on.
 *
 * @param {{
 *   url(again: boolean): string,
 *   onMessage(data: string): void,
 *   onLost(): void,
 *   onRefused(cmd: string | undefined, kind: string): void,
 * }} handlers onRefused: the document does not open
 */
export function createConnection({ url, onMessage, onLost, onRefused }) {
  let socket;
  let [hasLoaded, reconnecting, asleep, ended] = [false, false, false, false];
  let retries = 0;

  function connect() {
    const current = new WebSocket(url(hasLoaded));
    let refusal;
    socket = current;
    current.onmessage = ({ data }) => {
      refusal = /^error: cmd=(internal|load) kind=(\w+)/.exec(data) ?? refusal;
      onMessage(data);
    };
    current.onclose = () => onClose(refusal);
  }

  function onClose(refusal) {
    if (ended) return;
    const [, cmd, kind = ''] = refusal ?? [];
    if (kind === 'docunloading' && retries++ < DOCUNLOADING_RETRIES) {
      setTimeout(connect, 500 * retries * retries);
    } else if (!hasLoaded || cmd === 'internal') {
      ended = true;
      onRefused(cmd, kind);
    } else {
      onLost();
      if (reconnecting || asleep) return;
      reconnecting = true;
      setTimeout(connect, 1);
    }
  }

  return {
    connect,
    send(message) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(message);
    },
    /** The document is there. */
    loaded() {
      hasLoaded = true;
      reconnecting = false;
      retries = 0;
    },
    hasLoaded: () => hasLoaded,
    /** The server has closed the document: only the user opens it again. */
    sleep() {
      asleep = true;
    },
    /** The user is back: connects, unless it is connected. */
    activate() {
      if (ended || !hasLoaded || socket.readyState < WebSocket.CLOSING) return;
      asleep = false;
      reconnecting = true;
      connect();
    },
    cut: () => socket?.close(),
    end() {
      ended = true;
      socket?.close();
    },
  };
}
