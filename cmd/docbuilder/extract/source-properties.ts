import { AppError } from '../../../src/common/errors.ts';
import type { ExtractedMeta } from '../../../src/common/generated/wire.ts';
import type { SourceFormat } from '../formats.ts';
import { readCompoundFile } from '../source/inspect/cfb.ts';
import { type ByteSource, withSource } from '../source/inspect/source.ts';
import { normalized } from '../source/inspect/unicode.ts';
import { xmlText } from '../source/inspect/xml.ts';
import { newBudget, readHead, readZip } from '../source/inspect/zip.ts';

type Names = 'title' | 'subject' | 'author' | 'last_author' | 'keywords' | 'description';
/** Properties of a source that LibreOffice loses. */
export type SourceProperties = Pick<ExtractedMeta, Names | 'created_at' | 'modified_at' | 'printed_at' | 'generator'>;

/** Properties are at the beginning of their part. */
const MAX_BYTES = 64 * 1024;
/** In RTF they follow fonts and styles. */
const MAX_RTF_BYTES = 256 * 1024;

/**
 * Reads the program that wrote a source, which LibreOffice replaces by its own name, and all properties of doc, xls and ppt,
 * some of which LibreOffice ignores.
 * @returns none for a file in which they cannot be read
 */
export async function readSourceProperties(path: string, format: SourceFormat): Promise<Partial<SourceProperties>> {
  try {
    return await withSource(path, async (source) => {
      if (/^(doc|xls|ppt)$/.test(format)) {
        return readPropertySet(readCompoundFile(source).readStart('\u0005SummaryInformation', MAX_BYTES));
      }
      if (format === 'rtf') return { generator: rtfGenerator(source.read(0, MAX_RTF_BYTES).toString('latin1')) };
      if (/^fod/.test(format)) return { generator: xmlGenerator(xmlText(source.read(0, MAX_BYTES))) };
      return { generator: await packageGenerator(source) };
    });
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}

function rtfGenerator(head: string): string | null {
  return /\{\\\*\\generator ([^;{}\\]{1,256})/.exec(head)?.[1]?.trim() || null;
}

async function packageGenerator(source: ByteSource): Promise<string | null> {
  const zip = await readZip(source, newBudget());
  const entry = zip.entries.get('docProps/app.xml') ?? zip.entries.get('meta.xml');
  return entry ? xmlGenerator(xmlText(readHead(zip, entry, MAX_BYTES).head)) : null;
}

/** Returns the first program's name; those of embedded documents follow. */
function xmlGenerator(xml: string): string | null {
  const first = (name: string) =>
    new RegExp(`<(?:[\\w.-]+:)?${name}>([^<]{1,256})`)
      .exec(xml)?.[1]
      ?.replace(/&(\w+);/g, decodeEntity)
      .trim();
  const [application, version] = [first('Application'), first('AppVersion')];
  if (application) return version ? `${application} ${version}` : application;
  return first('generator') || null;
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

function decodeEntity(entity: string, name: string): string {
  return ENTITIES.get(name) ?? entity;
}

/** Documents have 20. */
const MAX_PROPERTIES = 100;
const [LPSTR, LPWSTR, FILETIME] = [0x1e, 0x1f, 0x40];
const CODE_PAGES: Record<number, string> = {
  ...{ 874: 'windows-874', 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' },
  ...{ 1200: 'utf-16le', 10000: 'macintosh', 65001: 'utf-8' },
};
/** Milliseconds from 1601 to 1970. */
const EPOCH = 11_644_473_600_000;

/** Reads a property set (MS-OLEPS 2.20, MS-OSHARED 2.3.3.2.1.1). Missing and invalid properties are null. */
function readPropertySet(stream: Buffer): SourceProperties {
  const number = (at: number) => (at >= 0 && at + 4 <= stream.length ? stream.readUInt32LE(at) : 0);
  const start = number(44);
  const places = new Map<number, number>();
  for (let index = 0; index < Math.min(number(start + 4), MAX_PROPERTIES); index++) {
    const entry = start + 8 + 8 * index;
    places.set(number(entry), start + number(entry + 4));
  }
  const codePage = number((places.get(1) ?? -1) + 4) & 0xffff;
  const isWindows = codePage >= 1250 && codePage <= 1258;
  const encoding = CODE_PAGES[codePage] ?? (isWindows ? `windows-${codePage}` : 'windows-1252');

  const text = (id: number): string | null => {
    const at = places.get(id) ?? -1;
    const type = number(at) & 0xffff;
    if (type !== LPSTR && type !== LPWSTR) return null;
    const length = number(at + 4) * (type === LPWSTR ? 2 : 1);
    const bytes = stream.subarray(at + 8, at + 8 + length);
    const decoded = new TextDecoder(type === LPWSTR ? 'utf-16le' : encoding).decode(bytes).split('\0', 1).join();
    // windows-1258 has combining tone marks.
    return (encoding === 'windows-1258' ? normalized(decoded, 'NFC') : decoded).trim() || null;
  };
  const time = (id: number): string | null => {
    const at = places.get(id) ?? -1;
    const date = new Date((number(at + 8) * 2 ** 32 + number(at + 4)) / 10_000 - EPOCH);
    // A time in 1601 is a duration.
    if ((number(at) & 0xffff) !== FILETIME || !(date.getUTCFullYear() > 1900 && date.getUTCFullYear() < 10_000)) {
      return null;
    }
    return date.toISOString().replace(/\.\d+/, '');
  };
  const keywords = (text(5) ?? '').split(/[,;]/).map((word) => word.trim());
  return {
    ...{ title: text(2), subject: text(3), author: text(4), description: text(6), last_author: text(8) },
    keywords: keywords.filter((word) => word !== ''),
    ...{ printed_at: time(11), created_at: time(12), modified_at: time(13), generator: text(18) },
  };
}
