import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Office } from './office.ts';

type Value = string | number | boolean | readonly string[];

const NEVER = { update: 1, recalculate: 1 };
const MANUAL_PROXY = 1;
/** Calc's formula bar, by its number. */
const INPUT_BAR = 26_100;
/** Calc drops frozen panes that are larger than the window it does not show. In pixels; each takes 12 bytes. */
const CALC_WINDOW = '0,0,1600,1200;1;0,0,1600,1200;';
const CALC = "Office/Factories/org.openoffice.Setup:Factory['com.sun.star.sheet.SpreadsheetDocument']";

/** Returns the settings of a worker's LibreOffice by path and name. LibreOffice ignores those that its version lacks. */
function settings(office: Office): Record<string, Record<string, Value>> {
  return {
    // With these two a new profile starts like a used one: no graphics self-test (0.6 s), no first-start copies.
    'Setup/Product': { ooSetupLastVersion: office.release },
    'Setup/Office': { ooSetupInstCompleted: true },
    'Setup/L10N': { ooLocale: 'en-US' },
    [`Setup/${CALC}`]: { ooSetupFactoryWindowAttributes: CALC_WINDOW },

    'Office.Common/Security/Scripting': {
      MacroSecurityLevel: 3,
      DisableMacrosExecution: true,
      BlockUntrustedRefererLinks: true,
      CheckDocumentEvents: true,
      // Without DisableActiveContent: LibreOffice 24.2 and later would leave out charts and formulas.
      DisablePythonRuntime: true,
      DisableOLEAutomation: true,
    },
    // Not Writer's as well: it writes its setting into documents. Each is loaded with NO_UPDATE_OF_LINKS anyway (filters.ts).
    'Office.Calc/Content/Update': { Link: NEVER.update },
    // Nothing listens there: where a sandbox were to fail, a request still goes nowhere.
    'Inet/Settings': {
      ooInetProxyType: MANUAL_PROXY,
      ooInetHTTPProxyName: '127.0.0.1',
      ooInetHTTPProxyPort: 1,
      ooInetHTTPSProxyName: '127.0.0.1',
      ooInetHTTPSProxyPort: 1,
      ooInetNoProxy: '',
    },

    'Office.Java/VirtualMachine': { Enable: false },
    'Office.Common/Misc': { CrashReport: false, UseOpenCL: false },
    'Office.Common/History': { PickListSize: 0 },
    // Without LibreOffice's palettes, as below: it reads a megabyte of pictures for most documents, for their names.
    'Office.Common/Path/Current': { Palette: ['$(userurl)/config'] },
    'Office.Common/Save/Document': {
      GenerateThumbnail: false,
      UseUserData: false,
      AutoSave: false,
      CreateBackup: false,
    },
    'Office.Recovery/AutoSave': { Enabled: false },
    'Office.Recovery/RecoveryInfo': { SessionData: false },

    // Cached results are shown as they are; formulas without one are calculated.
    'Office.Calc/Formula/Load': { OOXMLRecalcMode: NEVER.recalculate, ODFRecalcMode: NEVER.recalculate },

    ...flatFilter('Text', 'Writer'),
    ...flatFilter('Spreadsheet', 'Calc'),
    ...flatFilter('Presentation', 'Impress'),
  };
}

/** Sets flat OpenDocument to no indentation and list labels as `text:number`: the last two parameters of its filter. */
function flatFilter(kind: string, application: string): Record<string, Record<string, Value>> {
  const services = ['Importer', 'Exporter'].map((what) => `com.sun.star.comp.${application}.XMLOasis${what}`);
  const UserData = ['com.sun.star.comp.filter.OdfFlatXml', '', ...services, '', '', 'false', 'true'];
  const filter = `OpenDocument ${kind} Flat XML`;
  return { [`TypeDetection.Filter/Filters/org.openoffice.TypeDetection.Filter:Filter['${filter}']`]: { UserData } };
}

function toXml(value: Value): string {
  return typeof value === 'object' ? value.map((item) => `<it>${item}</it>`).join('') : String(value);
}

/** Returns the text of `registrymodifications.xcu` for a worker's LibreOffice. */
function registry(office: Office): string {
  const items = Object.entries(settings(office)).map(([path, values]) => {
    const properties = Object.entries(values).map(
      ([name, value]) => `<prop oor:name="${name}" oor:op="fuse"><value>${toXml(value)}</value></prop>`,
    );
    return `<item oor:path="/org.openoffice.${path}">${properties.join('')}</item>\n`;
  });
  // Calc in Debian 12's packages without a GUI crashes when it shows the formula bar, of which they lack a part.
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join('')}<item oor:path="/org.openoffice.Office.Paths/Paths/org.openoffice.Office.Paths:NamedPath['Palette']/InternalPaths"><node oor:name="$(insturl)/share/palette" oor:op="remove"/></item>
<item oor:path="/org.openoffice.Office.Views/Windows"><node oor:name="${INPUT_BAR}" oor:op="replace"><prop oor:name="Visible" oor:op="fuse"><value>false</value></prop></node></item>
</oor:items>
`;
}

/**
 * Writes a new profile into `directory`. The build id says that extensions are in step; without it LibreOffice ends
 * its first start with code 81 and wants to be started again.
 * @returns all files and folders made
 */
export async function writeProfile(directory: string, office: Office): Promise<string[]> {
  const user = join(directory, 'user');
  const extensions = join(user, 'extensions');
  await mkdir(extensions, { recursive: true, mode: 0o700 });
  const files = [join(user, 'registrymodifications.xcu'), join(extensions, 'buildid')] as const;
  await writeFile(files[0], registry(office), { mode: 0o600 });
  await writeFile(files[1], office.buildId, { mode: 0o600 });
  return [directory, user, extensions, ...files];
}

/**
 * Returns whether a document of the worker in `directory` had fonts embedded, which LibreOffice uses for all later
 * documents. It makes this folder before it reads such a font.
 */
export function hasFontsOfDocuments(directory: string): boolean {
  return existsSync(join(directory, 'profile/user/temp/embeddedfonts/fromdocs'));
}
