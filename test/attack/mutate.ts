import { seededRandom } from '../../bench/statistics.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Random = () => number;

/** Values that any other may become: wrong types, limits and attacks. */
const STRANGE: readonly Json[] = [
  ...[null, true, 0, -1, 1e308, 0.1, 2 ** 53, '', ' ', 'x'.repeat(5000), '\u0000\u0001\uFFFF', '\uD800', '\u202Eabc'],
  ...['</text:p><text:p>', ']]>&#0;<!--', '=1+1', '#ZZZZZZ', '#00ff00', 'http://127.0.0.1/x.png', '__proto__'],
  ...[[], {}, [[]], { text: 'x' }, { text: '', bold: true, size: 399, font: "'; --" }, { type: 'page_break' }],
];
const KEYS = ['type', 'text', 'items', 'rows', 'value', 'width', '__proto__', 'constructor', 'size', 'level', 'x'];

/** A copy of a JSON value with some random changes; the same seed gives the same copy. */
export function mutated(value: unknown, seed: number): unknown {
  const random = seededRandom(seed);
  let copy = structuredClone(value) as Json;
  for (let changes = 1 + Math.floor(random() * 2); changes > 0; changes--) copy = change(copy, random);
  return copy;
}

function change(value: Json, random: Random): Json {
  const members = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  // The deeper a value is, the more of them there are: going down is likely.
  if (members.length === 0 && random() < 0.6) return alike(value, random);
  if (members.length === 0 || random() < 0.04) return one(STRANGE, random);
  const name = one(members, random);
  const kind = Math.floor(random() * 40);
  if (Array.isArray(value)) {
    const index = Number(name);
    const child = value[index] ?? null;
    if (kind === 0) return value.toSpliced(index, 1);
    if (kind === 1) return value.toSpliced(index, 0, structuredClone(child));
    return kind === 2 ? value.toReversed() : value.with(index, change(child, random));
  }
  const object = value as { [name: string]: Json };
  const { [name]: child = null, ...others } = object;
  if (kind === 0) return others;
  if (kind === 1) return { ...others, [one(KEYS, random)]: child };
  if (kind === 2) return { ...object, [one(KEYS, random)]: one(STRANGE, random) };
  return { ...object, [name]: change(child, random) };
}

/** Another value of the same type. */
function alike(value: Json, random: Random): Json {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return one([0, -value, value * 10, value + 0.5, Math.floor(random() * 1000)], random);
  return typeof value === 'string'
    ? one([value + value, value.slice(1), `${value}\n\t`, '🙂', 'مرحبا'], random)
    : value;
}

const TAGS = [
  ...['{{', '}}', '{{name}}', '{{#a}}', '{{/a}}', '{{#rows}}', '{{/rows}}', '{{@raw}}', '{{>part}}', '{{=[ ]=}}'],
  ...['<w:p>', '</w:t>'],
];

/** A copy of bytes with some of them changed, cut out or repeated. */
export function mutatedBytes(bytes: Uint8Array, seed: number): Uint8Array {
  const random = seededRandom(seed);
  let copy = Buffer.from(bytes);
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes--) {
    const at = Math.floor(random() * copy.length);
    const end = at + 1 + Math.floor(random() * 30);
    const [before, behind] = [copy.subarray(0, at), copy.subarray(at)];
    const kinds = [
      () => Buffer.concat([before, Buffer.from([random() * 256]), copy.subarray(at + 1)]),
      () => Buffer.concat([before, copy.subarray(end)]),
      () => Buffer.concat([before, copy.subarray(at, end), behind]),
      () => Buffer.concat([before, Buffer.from(one(TAGS, random)), behind]),
    ];
    copy = one(kinds, random)();
  }
  return copy;
}

function one<Item>(list: readonly Item[], random: Random): Item {
  return list[Math.floor(random() * list.length)] as Item;
}
