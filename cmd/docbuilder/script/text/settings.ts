import { element } from '../xml.ts';

/**
 * Layout rules of Word for the text engine, so that a PDF made of the flat file has the lines and pages of the docx:
 * of two spaces between paragraphs the larger counts, a line that ends in a line break is not stretched, and so on.
 * A rule that is not named here would be that of ancient documents.
 */
const ON = [
  'AddExternalLeading',
  'AddParaLineSpacingToTableCells',
  'AddParaSpacingToTableCells',
  'AddParaTableSpacingAtStart',
  'AddVerticalFrameOffsets',
  'AlignTabStopPosition',
  'ApplyParagraphMarkFormatToNumbering',
  'BackgroundParaOverDrawings',
  'ClippedPictures',
  'CollapseEmptyCellPara',
  'ConsiderTextWrapOnObjPos',
  'DoNotJustifyLinesWithManualBreak',
  'HeaderSpacingBelowLastPara',
  'IgnoreTabsAndBlanksForLineCalculation',
  'InvertBorderSpacing',
  'MsWordCompTrailingBlanks',
  'PropLineSpacingShrinksFirstLine',
  'TabAtLeftIndentForParagraphsInList',
  'TabOverSpacing',
  'TabOverflow',
  'TableRowKeep',
  'UnbreakableNumberings',
  'WordLikeWrapForAsCharFlys',
];
const OFF = [
  'AddFrameOffsets',
  'AddParaTableSpacing',
  'DoNotResetParaAttrsForNumFont',
  'IgnoreFirstLineIndentInNumbering',
  'TabsRelativeToIndent',
  'UnxForceZeroExtLeading',
  'UseFormerLineSpacing',
  'UseFormerObjectPositioning',
  'UseFormerTextWrapping',
  'UseOldNumbering',
];

/** The inside of `office:settings` of a text document. */
export function textSettings(): string {
  const items = [...ON.map((name) => item(name, true)), ...OFF.map((name) => item(name, false))];
  return element('config:config-item-set', { 'config:name': 'ooo:configuration-settings' }, items.join(''));
}

function item(name: string, value: boolean): string {
  return element('config:config-item', { 'config:name': name, 'config:type': 'boolean' }, String(value));
}
