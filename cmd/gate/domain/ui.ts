import type { EmbedUi } from '../../../src/common/generated/wire.ts';
import type { FileType } from './model.ts';

/** The name that the editor has for a family of documents in its settings, and the types that belong to it. */
const FAMILIES: Record<FileType, 'Text' | 'Spreadsheet' | 'Presentation'> = {
  docx: 'Text',
  doc: 'Text',
  odt: 'Text',
  rtf: 'Text',
  txt: 'Text',
  xlsx: 'Spreadsheet',
  xls: 'Spreadsheet',
  ods: 'Spreadsheet',
  csv: 'Spreadsheet',
  pptx: 'Presentation',
  ppt: 'Presentation',
  odp: 'Presentation',
};

const SWITCHES = { sidebar: 'Sidebar', statusBar: 'Statusbar', ruler: 'Ruler' } as const;
const MEMBERS = ['toolbar', 'closeButton', 'print', 'export', 'copy', 'userList', 'sidebar', 'statusBar', 'ruler'];

/** Returns the members of a portal's `ui` that the editor knows; the rest is the browser library's. */
export function knownUi(ui: EmbedUi): EmbedUi {
  return Object.fromEntries(Object.entries(ui).filter(([member]) => MEMBERS.includes(member)));
}

/**
 * The form field `ui_defaults` (contract: Embed session): `key=value` pairs with `;` between them, as the editor reads
 * them. Only what the portal said is in it, so that everything else stays as the editor has it.
 */
export function uiDefaults(ui: EmbedUi, fileType: FileType): string {
  const pairs = ui.toolbar === undefined ? [] : [`UIMode=${ui.toolbar}`];
  for (const [member, name] of Object.entries(SWITCHES)) {
    const shown = ui[member as keyof typeof SWITCHES];
    if (shown !== undefined) pairs.push(`${FAMILIES[fileType]}${name}=${shown}`);
  }
  return pairs.join(';');
}

/** The members of CheckFileInfo that follow from `ui`. */
export type ViewFlags = {
  HidePrintOption: boolean;
  DisablePrint: boolean;
  HideExportOption: boolean;
  DisableExport: boolean;
  DisableCopy: boolean;
  /** `true`: hidden on every kind of device. */
  HideUserList?: 'true';
};

/** Returns what is hidden in a view of the document, and what is also refused. Everything is allowed by default. */
export function viewFlags(ui: EmbedUi): ViewFlags {
  const { print = true, export: exporting = true, copy = true, userList = true } = ui;
  return {
    HidePrintOption: !print,
    DisablePrint: !print,
    HideExportOption: !exporting,
    DisableExport: !exporting,
    DisableCopy: !copy,
    ...(!userList && { HideUserList: 'true' as const }),
  };
}
