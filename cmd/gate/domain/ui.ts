import type { EmbedUi } from '../../../src/common/generated/wire.ts';
import { type FileType, FORMATS } from './model.ts';

const SWITCHES = { sidebar: 'Sidebar', statusBar: 'Statusbar', ruler: 'Ruler' } as const;
const MEMBERS = ['toolbar', 'closeButton', 'print', 'export', 'copy', 'userList', 'sidebar', 'statusBar', 'ruler'];

/** Returns the members of a portal's `ui` that the editor knows; the rest is the browser library's. */
export function knownUi(ui: EmbedUi): EmbedUi {
  return Object.fromEntries(Object.entries(ui).filter(([member]) => MEMBERS.includes(member)));
}

/**
 * The form field `ui_defaults` (contract: Embed session), in the editor’s form. Only members that the portal set are in
 * it.
 */
export function uiDefaults(ui: EmbedUi, fileType: FileType): string {
  const pairs = ui.toolbar === undefined ? [] : [`UIMode=${ui.toolbar}`];
  for (const [member, name] of Object.entries(SWITCHES)) {
    const shown = ui[member as keyof typeof SWITCHES];
    if (shown !== undefined) pairs.push(`${FORMATS[fileType].family}${name}=${shown}`);
  }
  return pairs.join(';');
}

/** The members of CheckFileInfo for what is hidden in a view, and what is also refused. By default all is allowed. */
export function viewFlags(ui: EmbedUi) {
  const { print = true, export: exporting = true, copy = true, userList = true } = ui;
  return {
    HidePrintOption: !print,
    DisablePrint: !print,
    HideExportOption: !exporting,
    DisableExport: !exporting,
    DisableCopy: !copy,
    // Hidden on every kind of device.
    ...(!userList && { HideUserList: 'true' }),
  };
}
