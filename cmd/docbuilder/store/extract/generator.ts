import { AppError } from '../../../../src/common/errors.ts';
import { type Package, withPackage } from './package.ts';
import { type Elements, walk } from './walk.ts';

/** Elements after which it is no longer looked for. */
const MAX_ELEMENTS = 1000;
const MAX_NAME = 256;

/**
 * The program that wrote a source file. The engine names itself in what it makes of one, so this must be read from the
 * source: `docProps/app.xml` of OOXML, `meta.xml` of OpenDocument.
 * @returns null where the file does not say it, and for formats that are no zip
 */
export async function readGenerator(source: string, signal: AbortSignal | undefined): Promise<string | null> {
  try {
    return await withPackage(source, (opened) => find(opened, signal));
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function find(opened: Package, signal: AbortSignal | undefined): Promise<string | null> {
  const found: Record<string, string> = {};
  let current: string | undefined;
  let seen = 0;
  const keep = (name: string): Elements => ({
    [name]: () => {
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
  await opened.parse('docProps/app.xml', handler, signal);
  await opened.parse('meta.xml', handler, signal);
  const { Application: application, AppVersion: version } = found;
  if (application) return version ? `${application.trim()} ${version.trim()}` : application.trim();
  return found['meta:generator']?.trim() || null;
}
