import { seededRandom } from '../../bench/statistics.ts';

/** A request with a form, as a client sends it that makes mistakes. */
export interface RandomForm {
  /** Head and body, in the pieces in which they are written. */
  pieces: Buffer[];
  /** Milliseconds between pieces. */
  pause: number;
  /** The client stays and reads, says that it sends no more, or closes its connection after the last piece. */
  end: 'stays' | 'half-closes' | 'leaves';
  /** All of the body that the head announces is sent. */
  isWhole: boolean;
}

const PATHS = ['convert', 'extract/text', 'extract/meta', 'extract/thumbnail', 'template/render'];
const FILES = ['file', 'file', 'template', 'data', 'doc', 'File', '', '__proto__'];
const FIELDS = [
  'to',
  'to',
  'from',
  'async',
  'options',
  'options.pages',
  'data',
  'file',
  'x',
  '__proto__',
  'n'.repeat(200),
];
const NAMES = ['a.docx', 'a.docx', 'a.xyz', '..', '', '=?UTF-8?B?Li4=?=', 'n'.repeat(1100), 'n'.repeat(9000)];
const VALUES = ['pdf', 'docx', 'true', '{}', '{"a":', '', 'x'.repeat(70_000)];
const SIZES = [0, 1, 5, 1000, 20_000, 70_000, 300_000, 1_200_000];
const HEADS = [
  '',
  'Content-Type: text/plain',
  'Content-Disposition: attachment; name="file"; filename="a.docx"',
  'Content-Disposition: form-data',
  'Content-Disposition: form-data; name="file',
  'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream',
  'Content-Disposition: form-data; name="file"; filename="a\rb.docx"',
  `X-Pad: ${'x'.repeat(20_000)}\r\nContent-Disposition: form-data; name="file"; filename="a.docx"`,
  `${'X-Many: 1\r\n'.repeat(50)}Content-Disposition: form-data; name="file"; filename="a.docx"`,
  '\u0000\r\n\r\n',
];
const TYPES = [
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="b',
  `multipart/form-data; boundary=${'b'.repeat(2000)}`,
  'multipart/form-data; boundary=other',
  'multipart/form-data; boundary=b; boundary=c',
  'multipart/mixed; boundary=b',
  'application/json',
  'text/plain',
];

/**
 * A form with parts in any order, of any name and size, twice or not at all, that may be cut off, wrongly bounded or
 * announced as something else. No file in it is a document, so none reaches the engine. The same seed gives the same.
 * @param headers lines of the head, such as the one with the key
 */
export function randomForm(seed: number, headers: readonly string[]): RandomForm {
  const random = seededRandom(seed);
  const below = (number: number): number => Math.floor(random() * number);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const rarely = (): boolean => random() < 0.1;

  const part = (): string => {
    const kind = random();
    if (kind < 0.1) return `${one(HEADS)}\r\n\r\n${'\0'.repeat(one(SIZES))}`;
    const named = `Content-Disposition: form-data; name="${one(kind < 0.6 ? FILES : FIELDS)}"`;
    if (kind >= 0.6) return `${named}\r\n\r\n${one(VALUES)}`;
    return `${named}; filename="${one(NAMES)}"\r\nContent-Type: application/octet-stream\r\n\r\n${'\0'.repeat(one(SIZES))}`;
  };
  const parts = Array.from({ length: rarely() ? below(50) : below(6) }, part);
  let text = `${rarely() ? 'preamble\r\n' : ''}${parts.map((each) => `--b\r\n${each}\r\n`).join('')}--b--\r\n`;
  if (rarely()) text += 'epilogue'.repeat(below(20_000));
  if (rarely()) text = text.replaceAll('\r\n', '\n');
  if (rarely()) text = text.replace('--b--\r\n', one(['', '--b', '--b\r\n', '--b-', '--b--']));
  const whole = Buffer.from(text, 'latin1');
  const body = rarely() ? whole.subarray(0, below(whole.length + 1)) : whole;

  const type = rarely() ? one(TYPES) : 'multipart/form-data; boundary=b';
  const missing = rarely() ? 1 + below(100_000) : 0;
  const chunked = rarely();
  const head = [
    `POST /v1/${one(PATHS)} HTTP/1.1`,
    ...headers,
    `Content-Type: ${type}`,
    chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length + missing}`,
  ];
  const sent = chunked ? inChunks(body, missing === 0) : body;
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), sent]);
  const cuts = Array.from({ length: one([0, 0, 1, 3, 10]) }, () => below(bytes.length)).sort((a, b) => a - b);
  const borders = [0, ...cuts, bytes.length];
  return {
    pieces: borders.slice(1).map((border, index) => bytes.subarray(borders[index], border)),
    pause: one([0, 0, 1, 5]),
    isWhole: missing === 0,
    end: rarely() ? 'leaves' : rarely() ? 'half-closes' : 'stays',
  };
}

/** @param ended the last chunk says that it is the last */
function inChunks(body: Buffer, ended: boolean): Buffer {
  const chunk = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')];
  return Buffer.concat([...(body.length > 0 ? chunk : []), Buffer.from(ended ? '0\r\n\r\n' : '')]);
}
