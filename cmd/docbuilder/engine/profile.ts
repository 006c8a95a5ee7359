import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Office } from './office.ts';

type Value = string | number | boolean | readonly string[];
type Setting = [path: string, name: string, value: Value];

const WRITER_LINKS_NEVER = 2;
const CALC_LINKS_NEVER = 1;
const RECALCULATE_NEVER = 1;
const MANUAL_PROXY = 1;
/** Calc's bar above the cells, by its number. */
const INPUT_BAR = 26_100;
/** Calc drops frozen panes that are larger than the window it does not show. In pixels; each takes 12 bytes. */
const CALC_WINDOW = '0,0,1600,1200;1;0,0,1600,1200;';
const CALC =
  "/org.openoffice.Setup/Office/Factories/org.openoffice.Setup:Factory['com.sun.star.sheet.SpreadsheetDocument']";
/** Nothing listens there: where a sandbox were to fail, a request still goes nowhere. */
const DEAD_PROXY = { host: '127.0.0.1', port: 1 };

/** Settings of a worker's LibreOffice: path, property, value. Ones that a version does not know it ignores. */
function settings(office: Office): Setting[] {
  const scripting = '/org.openoffice.Office.Common/Security/Scripting';
  const proxy = '/org.openoffice.Inet/Settings';
  return [
    // With these two a new profile starts like a used one: no graphics self-test (0.6 s), no first-start copies.
    ['/org.openoffice.Setup/Product', 'ooSetupLastVersion', office.release],
    ['/org.openoffice.Setup/Office', 'ooSetupInstCompleted', true],
    ['/org.openoffice.Setup/L10N', 'ooLocale', 'en-US'],
    [CALC, 'ooSetupFactoryWindowAttributes', CALC_WINDOW],

    [scripting, 'MacroSecurityLevel', 3],
    [scripting, 'DisableMacrosExecution', true],
    [scripting, 'BlockUntrustedRefererLinks', true],
    [scripting, 'CheckDocumentEvents', true],
    [scripting, 'DisableActiveContent', true],
    [scripting, 'DisablePythonRuntime', true],
    [scripting, 'DisableOLEAutomation', true],
    ['/org.openoffice.Office.Writer/Content/Update', 'Link', WRITER_LINKS_NEVER],
    ['/org.openoffice.Office.Calc/Content/Update', 'Link', CALC_LINKS_NEVER],
    [proxy, 'ooInetProxyType', MANUAL_PROXY],
    [proxy, 'ooInetHTTPProxyName', DEAD_PROXY.host],
    [proxy, 'ooInetHTTPProxyPort', DEAD_PROXY.port],
    [proxy, 'ooInetHTTPSProxyName', DEAD_PROXY.host],
    [proxy, 'ooInetHTTPSProxyPort', DEAD_PROXY.port],
    [proxy, 'ooInetNoProxy', ''],

    ['/org.openoffice.Office.Java/VirtualMachine', 'Enable', false],
    ['/org.openoffice.Office.Common/Misc', 'CrashReport', false],
    ['/org.openoffice.Office.Common/Misc', 'CollectUsageInformation', false],
    ['/org.openoffice.Office.Common/Misc', 'UseOpenCL', false],
    ['/org.openoffice.Office.Common/History', 'PickListSize', 0],
    ['/org.openoffice.Office.Common/Save/Document', 'GenerateThumbnail', false],
    ['/org.openoffice.Office.Common/Save/Document', 'UseUserData', false],
    ['/org.openoffice.Office.Common/Save/Document', 'AutoSave', false],
    ['/org.openoffice.Office.Common/Save/Document', 'CreateBackup', false],
    ['/org.openoffice.Office.Recovery/AutoSave', 'Enabled', false],
    ['/org.openoffice.Office.Recovery/RecoveryInfo', 'SessionData', false],

    // Cached results are shown as they are; formulas without one are calculated.
    ['/org.openoffice.Office.Calc/Formula/Load', 'OOXMLRecalcMode', RECALCULATE_NEVER],
    ['/org.openoffice.Office.Calc/Formula/Load', 'ODFRecalcMode', RECALCULATE_NEVER],

    flatFilter('Text', 'Writer'),
    flatFilter('Spreadsheet', 'Calc'),
    flatFilter('Presentation', 'Impress'),
  ];
}

/**
 * Flat OpenDocument without indentation, and with the labels of list items as `text:number`: those are the last two
 * parts of what LibreOffice's filter for it takes.
 */
function flatFilter(kind: string, application: string): Setting {
  const services = ['Importer', 'Exporter'].map((what) => `com.sun.star.comp.${application}.XMLOasis${what}`);
  const parts = ['com.sun.star.comp.filter.OdfFlatXml', '', ...services, '', '', 'false', 'true'];
  const path = `/org.openoffice.TypeDetection.Filter/Filters/org.openoffice.TypeDetection.Filter:Filter['OpenDocument ${kind} Flat XML']`;
  return [path, 'UserData', parts];
}

function toXml(value: Value): string {
  return typeof value === 'object' ? value.map((item) => `<it>${item}</it>`).join('') : String(value);
}

/** The text of `registrymodifications.xcu` for a worker's LibreOffice. */
function registry(office: Office): string {
  const items = settings(office).map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${toXml(value)}</value></prop></item>\n`,
  );
  // Debian 12's packages without a GUI lack a part of that bar, and Calc crashes when it shows a sheet with it.
  items.push(
    `<item oor:path="/org.openoffice.Office.Views/Windows"><node oor:name="${INPUT_BAR}" oor:op="replace">` +
      '<prop oor:name="Visible" oor:op="fuse"><value>false</value></prop></node></item>\n',
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join('')}</oor:items>
`;
}

/**
 * Writes a new profile into `directory`. The build id says that extensions are in step; without it LibreOffice ends
 * its first start with code 81 and wants to be started again.
 * @returns the files and folders made, for whoever must change their owner
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
 * Returns whether a document of the worker in `directory` brought fonts along. LibreOffice goes on using those for every
 * document: one called Arial would be the Arial of the next caller's. It makes this folder before it reads such
 * a font.
 */
export function hasFontsOfDocuments(directory: string): boolean {
  return existsSync(join(directory, 'profile/user/temp/embeddedfonts/fromdocs'));
}
