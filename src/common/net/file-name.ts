import { parse } from 'content-disposition';

/** Bytes that a name may take in UTF-8, the limit of the usual file systems. */
const MAX_BYTES = 255;

/**
 * Returns the name of a downloaded file: the name in its Content-Disposition (RFC 6266), else the last segment of its URL's
 * path. One path segment, for show and for its extension; undefined when nothing is left of it.
 */
export function getFileName(url: URL, contentDisposition?: string): string | undefined {
  return clean(parse(contentDisposition ?? '').parameters['filename'] ?? '') ?? clean(decode(url.pathname));
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Takes a name's last segment, on whatever system it was made, without control and text-direction characters. */
function clean(name: string): string | undefined {
  const segment = name.split(/[/\\]/).at(-1) ?? '';
  const text = segment.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '').trim();
  if (text === '' || text === '.' || text === '..' || Buffer.byteLength(text) > MAX_BYTES) return undefined;
  return text;
}
