/**
 * A model of what the editor server opens for the raw URI of a WebSocket upgrade, written from how its sources read and
 * what a running one did, apart from the gate's parser and on purpose more lenient than either:
 *
 * - `cool/0x` and hexadecimal digits anywhere are replaced by the text that they spell;
 * - the URI is parted at every `/` and `?`, empty parts dropped; it is an editing socket when the first is `cool` and
 *   the third is `ws` (the document is the second part), or when the second is `ws` (the document is the argument
 *   WOPISrc, of several the first);
 * - the document part or argument is decoded any number of times: two or three, as versions and places differ, and more
 *   where a proxy stands before it;
 * - of the result the address without its query counts, its path decoded once more or not.
 */
export function openedByEditor(rawUri: string): Set<string> {
  const uri = dehexified(rawUri);
  const [first, second, third] = uri.split(/[/?]/).filter((part) => part !== '');
  const documents = new Set<string>();
  if (first !== 'cool') return documents;
  if (third === 'ws' && second !== undefined) addReadings(documents, second);
  if (second === 'ws') {
    const query = uri.slice(uri.indexOf('?') + 1);
    const argument = query.split(/[&?]/).find((part) => /^(ws\/)?WOPISrc=/.test(part));
    if (argument !== undefined) addReadings(documents, argument.slice(argument.indexOf('=') + 1));
  }
  return documents;
}

function addReadings(documents: Set<string>, encoded: string): void {
  let text: string | undefined = encoded;
  for (let round = 0; round <= 6 && text !== undefined; round += 1) {
    const [, address] = /^(https?:\/\/[^/?#]+[^?#]*)/i.exec(text) ?? [];
    if (address !== undefined) {
      documents.add(normal(address));
      const decoded = decode(address);
      if (decoded !== undefined) documents.add(normal(decoded));
    }
    text = decode(text);
  }
}

/** Lower-case scheme and host, no default port: those name the same document. */
function normal(address: string): string {
  const [, scheme = '', authority = '', path = ''] = /^(https?):\/\/([^/]*)(.*)$/is.exec(address) ?? [];
  const port = scheme.toLowerCase() === 'http' ? ':80' : ':443';
  const host = authority.toLowerCase();
  return `${scheme.toLowerCase()}://${host.endsWith(port) ? host.slice(0, -port.length) : host}${path || '/'}`;
}

function dehexified(uri: string): string {
  return uri.replace(/cool\/0x([0-9a-f]*)/i, (_, digits: string) => `cool/${Buffer.from(digits, 'hex').toString()}`);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
