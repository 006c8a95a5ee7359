import type { MetaPart } from './meta.ts';

/** What a property set says (MS-OLEPS, section 2.20; the identifiers are those of MS-OSHARED, section 2.3.3.2.1.1). */
export interface Properties extends Omit<MetaPart['facts'], 'keywords'> {
  keywords: string[];
  generator: string | null;
}

/** Sets of documents have 20. */
const MAX_PROPERTIES = 100;
const [LPSTR, LPWSTR, FILETIME] = [0x1e, 0x1f, 0x40];
const CODE_PAGES: Record<number, string> = {
  ...{ 874: 'windows-874', 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' },
  ...{ 1200: 'utf-16le', 10000: 'macintosh', 65001: 'utf-8' },
};
/** Milliseconds from 1601 to 1970. */
const EPOCH = 11_644_473_600_000;

/** Reads the stream `SummaryInformation` of a compound file. What is missing or broken in it is null. */
export function readProperties(stream: Buffer): Properties {
  const number = (at: number) => (at >= 0 && at + 4 <= stream.length ? stream.readUInt32LE(at) : 0);
  const start = number(44);
  const places = new Map<number, number>();
  for (let index = 0; index < Math.min(number(start + 4), MAX_PROPERTIES); index++) {
    const entry = start + 8 + 8 * index;
    places.set(number(entry), start + number(entry + 4));
  }
  const typeAt = (at: number) => number(at) & 0xffff;
  const codePage = number((places.get(1) ?? -1) + 4) & 0xffff;
  const encoding = CODE_PAGES[codePage] ?? (codePage >> 3 === 156 ? `windows-${codePage}` : 'windows-1252');

  const text = (id: number): string | null => {
    const at = places.get(id) ?? -1;
    const type = typeAt(at);
    if (type !== LPSTR && type !== LPWSTR) return null;
    const length = number(at + 4) * (type === LPWSTR ? 2 : 1);
    const bytes = stream.subarray(at + 8, at + 8 + length);
    const decoded = new TextDecoder(type === LPWSTR ? 'utf-16le' : encoding).decode(bytes);
    return decoded.split('\0')[0]?.trim() || null;
  };
  const time = (id: number): string | null => {
    const at = places.get(id) ?? -1;
    const ticks = number(at + 8) * 2 ** 32 + number(at + 4);
    const date = new Date(ticks / 10_000 - EPOCH);
    // A day in 1601 is a duration or no time at all.
    if (typeAt(at) !== FILETIME || !(date.getUTCFullYear() > 1900) || date.getUTCFullYear() > 9999) return null;
    return date.toISOString().replace(/\.\d+/, '');
  };
  return {
    title: text(2),
    subject: text(3),
    author: text(4),
    keywords: (text(5) ?? '')
      .split(/[,;]/)
      .map((word) => word.trim())
      .filter((word) => word !== ''),
    description: text(6),
    last_author: text(8),
    printed_at: time(11),
    created_at: time(12),
    modified_at: time(13),
    generator: text(18),
  };
}
