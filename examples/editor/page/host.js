/**
 * Messages with the page that embeds this one (reference/editor.md A4): out as a JSON string to PostMessageOrigin, in
 * from the parent window and an origin that may embed us, as JSON or as an object.
 *
 * @param {{ origin: string, frameAncestors: string, onMessage(id: string, values: object): void }} settings
 */
export function createHost({ origin, frameAncestors, onMessage }) {
  let target = origin || '*';
  const embedded = window.parent !== window;

  /** Each entry of frame-ancestors becomes a pattern after `http(s)://`; so one with a scheme lets nobody speak. */
  function mayEmbed(from) {
    if (window.location.ancestorOrigins?.contains(from)) return true;
    return frameAncestors.split(' ').some((entry) => {
      const pattern = entry.replaceAll('.', '\\.').replace(/:\*$/, ':?.*');
      try {
        return new RegExp(`^https?://${pattern}$`).test(from);
      } catch {
        return false;
      }
    });
  }

  window.addEventListener('message', (event) => {
    if (!embedded || event.source !== window.parent || !mayEmbed(event.origin)) return;
    if (target !== '*' && event.origin !== target) return;
    let message = event.data;
    try {
      if (typeof message === 'string') message = JSON.parse(message);
    } catch {
      return;
    }
    if (typeof message?.MessageId === 'string') onMessage(message.MessageId, message.Values ?? {});
  });

  return {
    /** CheckFileInfo wins over the form. */
    setOrigin(value) {
      if (value) target = value;
    },
    post(id, values = {}) {
      if (!embedded) return;
      window.parent.postMessage(JSON.stringify({ MessageId: id, SendTime: Date.now(), Values: values }), target);
    },
  };
}
