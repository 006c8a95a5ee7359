import { AppError } from '../../../src/common/errors.ts';
import type { SourceFormat } from '../formats.ts';
import { readCompoundFile } from '../source/inspect/cfb.ts';
import { withSource } from '../source/inspect/source.ts';
import { type Package, withPackage } from './package.ts';
import { type Properties, readProperties } from './properties.ts';
import { parseTwin } from './twin.ts';
import { type Elements, walk } from './walk.ts';
import type { XmlHandler } from './xml.ts';

/** What a source file says about itself that is lost in what the engine makes of it. */
export type Origin = Pick<Properties, 'generator'> & Partial<Properties>;

/** Elements after which it is no longer looked for. */
const MAX_ELEMENTS = 1000;
const MAX_NAME = 256;
/** A property set has some hundred bytes, or a thumbnail at its end. */
const MAX_PROPERTY_BYTES = 64 * 1024;
/** RTF names its program in its header, behind fonts and styles. */
const RTF_HEAD_BYTES = 256 * 1024;
const SUMMARY = '\u0005SummaryInformation';

/**
 * Reads from a source file the program that wrote it, which the engine replaces by its own name: `docProps/app.xml` of
 * OOXML, the metadata of OpenDocument, `\\generator` of RTF, the property set of doc, xls and ppt. The engine does not
 * take over all that stands in the latter, so it is read whole.
 * @returns a generator of null where the file does not name it
 */
export async function readOrigin(
  source: string,
  format: SourceFormat,
  signal: AbortSignal | undefined,
): Promise<Origin> {
  try {
    if (/^(doc|xls|ppt)$/.test(format)) return await readSummary(source);
    if (format === 'rtf') return { generator: await readRtf(source) };
    const { handler, generator } = search();
    if (/^fod/.test(format)) await parseTwin(source, handler, signal);
    else await withPackage(source, (opened) => readParts(opened, handler, signal));
    return { generator: generator() };
  } catch (error) {
    if (error instanceof AppError) return { generator: null };
    throw error;
  }
}

function readSummary(path: string): Promise<Origin> {
  return withSource(path, async (source) => {
    const file = await readCompoundFile(source);
    return readProperties(await file.readStart(SUMMARY, MAX_PROPERTY_BYTES));
  });
}

function readRtf(path: string): Promise<string | null> {
  return withSource(path, async (source) => {
    const head = (await source.read(0, RTF_HEAD_BYTES)).toString('latin1');
    return /\{\\\*\\generator ([^;{}\\]{1,256})/.exec(head)?.[1]?.trim() || null;
  });
}

async function readParts(opened: Package, handler: XmlHandler, signal: AbortSignal | undefined): Promise<void> {
  await opened.parse('docProps/app.xml', handler, signal);
  await opened.parse('meta.xml', handler, signal);
}

function search(): { handler: XmlHandler; generator: () => string | null } {
  const found: Record<string, string> = {};
  let current: string | undefined;
  let seen = 0;
  const keep = (name: string): Elements => ({
    [name]: () => {
      // An embedded document names its own program, further down.
      if (found[name] !== undefined) return undefined;
      current = name;
      return () => {
        current = undefined;
      };
    },
  });
  const elements = { ...keep('Application'), ...keep('AppVersion'), ...keep('meta:generator') };
  const handler = walk(
    elements,
    (text) => {
      seen += 1;
      if (current) found[current] = ((found[current] ?? '') + text).slice(0, MAX_NAME);
    },
    () => seen > MAX_ELEMENTS,
  );
  const generator = () => {
    const { Application: application, AppVersion: version } = found;
    if (application) return version ? `${application.trim()} ${version.trim()}` : application.trim();
    return found['meta:generator']?.trim() || null;
  };
  return { handler, generator };
}
