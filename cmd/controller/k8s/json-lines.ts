/** An object of the API has 1.5 MiB at most in etcd, and somewhat more as JSON. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The stream is not one JSON value a line. Says nothing of what it holds. */
export class BrokenLines extends Error {
  override readonly name = 'BrokenLines';
}

/**
 * The values of a stream of JSON lines, each as soon as its line has ended.
 * @throws {BrokenLines} for a line that is no JSON, too long, or cut off by the end of the stream; the stream's own
 * errors
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<unknown> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString('utf8');
      start = end + 1;
      pieces = [];
      size = 0;
      if (line.trim() !== '') yield parse(line);
    }
    if (start === chunk.length) continue;
    pieces.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > maxBytes) throw new BrokenLines(`a line has more than ${maxBytes} bytes`);
  }
  if (size > 0) throw new BrokenLines('the last line is cut off');
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new BrokenLines('a line is no JSON');
  }
}
