// Made from schemas/ by `npm run generate`. Do not edit.

/**
 * svcscript 1: one document, saved in 1 to 5 formats. Lengths are millimetres, font sizes and line widths points, colours `#RRGGBB`.
 */
export type Script = {
  /**
   * Address of this schema, for editors. The service ignores it.
   */
  $schema?: string;
  /**
   * Version of the language.
   */
  svcscript: 1;
  /**
   * Kind of the document.
   */
  type: 'text' | 'sheet' | 'slides';
  meta?: Meta;
  /**
   * The formats wanted.
   *
   * @minItems 1
   * @maxItems 5
   */
  save: Save[];
  page?: Page;
  style?: TextStyle;
  /**
   * Header of every page. `text` only.
   */
  header?: Marginal;
  /**
   * Footer of every page. `text` only.
   */
  footer?: Marginal;
  /**
   * The blocks of a text document.
   *
   * @minItems 1
   * @maxItems 20000
   */
  body?: Block[];
  /**
   * The sheets.
   *
   * @minItems 1
   * @maxItems 50
   */
  sheets?: Sheet[];
  /**
   * Size of the slides: 338.67 or 254 by 190.5 mm.
   */
  slide_size?: '16:9' | '4:3';
  slide_style?: SlideStyle;
  /**
   * The slides.
   *
   * @minItems 1
   * @maxItems 500
   */
  slides?: Slide[];
};
/**
 * A paper size by name, or width and height in millimetres.
 */
export type Paper = ('A3' | 'A4' | 'A5' | 'B5' | 'Letter' | 'Legal') | PaperSize;
/**
 * A font name. Available are Liberation Sans, Liberation Serif, Liberation Mono, Carlito, Caladea, DejaVu Sans, Noto Sans and Noto Serif; any other is replaced by the closest match.
 */
export type Font = string;
/**
 * A colour as `#RRGGBB`.
 */
export type Color = string;
/**
 * Text of a header or footer: a string, a run, a field, or a list of them.
 */
export type MarginalInline = string | MarginalPart | (string | MarginalPart)[];
/**
 * One block of a text document.
 */
export type Block = Heading | Paragraph | List | Table | Image | PageBreak | HorizontalRule;
/**
 * Text: a string, one run, or a list of both.
 */
export type Inline = string | Run | (string | Run)[];
/**
 * An item: text, a list of runs, or an object that can contain a nested list.
 */
export type ListItem = string | (string | Run)[] | ListItemObject;
/**
 * A column: its relative width, or an object.
 */
export type TableColumn = number | TableColumnObject;
/**
 * A table cell: text, a number, or an object with text and its own formatting.
 */
export type TableCell = (string | number) | TableCellObject;
/**
 * A number format by name: `integer` 1.234, `decimal` 1.234,50, `percent` 12%, `percent_decimal` 12,50%, `vnd` 1.234 ₫, `usd` $1.234,50, `eur` 1.234,50 €, `date` 21/11/2026, `date_iso` 2026-11-21, `datetime` 21/11/2026 08:30, `time` 08:30, `time_seconds` 08:30:15, `duration` 30:15:00, `scientific` 1,23E+03, `text` unchanged. Separators follow the language of the document (here vi-VN). The format of a row or column applies only to cells of a suitable type: a date in a column of `integer` stays a date.
 */
export type NumberFormat =
  | 'general'
  | 'text'
  | 'integer'
  | 'decimal'
  | 'percent'
  | 'percent_decimal'
  | 'vnd'
  | 'usd'
  | 'eur'
  | 'date'
  | 'date_iso'
  | 'datetime'
  | 'time'
  | 'time_seconds'
  | 'duration'
  | 'scientific';
/**
 * A row: its cells, or an object.
 */
export type Row = Cell[] | RowObject;
/**
 * A cell: a string, a number, true or false, null for an empty cell, or an object with a type and formatting.
 */
export type Cell = (string | number | boolean | null) | TypedCell;
/**
 * A cell with a type.
 */
export type TypedCell =
  StringCell | NumberCell | BooleanCell | DateCell | TimeCell | PercentageCell | CurrencyCell | FormulaCell;
/**
 * One slide.
 */
export type Slide = TitleSlide | ContentSlide | TwoColumnsSlide | SectionSlide | BlankSlide;
/**
 * Something on a slide with a position and a size.
 */
export type Element = TextElement | BulletsElement | TableElement | ImageElement | ShapeElement;
/**
 * Text of a content area: a paragraph, or bullets.
 */
export type SlideContent = string | ListItem[];

/**
 * Properties of the document.
 */
export interface Meta {
  /**
   * Title.
   */
  title?: string;
  /**
   * Subject.
   */
  subject?: string;
  /**
   * Author.
   */
  author?: string;
  /**
   * Keywords. docx, xlsx and pptx have them in one text with semicolons between them; one that has a semicolon itself becomes several there.
   *
   * @maxItems 32
   */
  keywords?: string[];
  /**
   * Description.
   */
  description?: string;
  /**
   * Language as a BCP 47 tag; affects spell checking, hyphenation, the separators of numbers, and the date in headers and footers.
   */
  lang?: string;
}
/**
 * A format to save the document in.
 */
export interface Save {
  /**
   * The format; it must fit `type`.
   */
  format: 'docx' | 'odt' | 'pdf' | 'xlsx' | 'ods' | 'pptx' | 'odp';
  /**
   * Name of the file, without `/ \ : * ? " < > |` and control characters, and not of dots and spaces alone. Default: `tai-lieu.<format>`.
   */
  filename?: string;
  /**
   * Export PDF/A-2b; only with format `pdf`.
   */
  pdfa?: boolean;
}
/**
 * Paper and margins of a text document. A margin is 25 mm unless it is given; they leave at least 10 mm for text each way.
 */
export interface Page {
  size?: Paper;
  /**
   * Orientation of the paper. A size in millimetres keeps its own unless this is given.
   */
  orientation?: 'portrait' | 'landscape';
  margins?: Margins;
}
/**
 * A paper size in millimetres.
 */
export interface PaperSize {
  /**
   * Width.
   */
  width: number;
  /**
   * Height.
   */
  height: number;
}
/**
 * Distances from the paper's edges in millimetres.
 */
export interface Margins {
  /**
   * Top margin.
   */
  top?: number;
  /**
   * Right margin.
   */
  right?: number;
  /**
   * Bottom margin.
   */
  bottom?: number;
  /**
   * Left margin.
   */
  left?: number;
}
/**
 * Default formatting of text.
 */
export interface TextStyle {
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  color?: Color;
  /**
   * Alignment.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Line spacing as a percentage.
   */
  line_spacing?: number;
  /**
   * Space below a paragraph in millimetres.
   */
  space_after?: number;
  /**
   * Font of headings.
   */
  heading_font?: Font;
  /**
   * Colour of headings.
   */
  heading_color?: Color;
}
/**
 * A header or footer, with a left, a middle and a right part.
 */
export interface Marginal {
  left?: MarginalInline;
  center?: MarginalInline;
  right?: MarginalInline;
  /**
   * A thin line between it and the text.
   */
  line?: boolean;
}
/**
 * A piece of a header or footer: text, or a field that the document fills in, with its own formatting.
 */
export interface MarginalPart {
  /**
   * The text.
   */
  text?: string;
  /**
   * `page`: number of this page; `pages`: how many there are; `title`: the document's title (`meta.title`); `date`: the day the document was built, in Vietnam (UTC+7).
   */
  field?: 'page' | 'pages' | 'title' | 'date';
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  /**
   * Colour behind the letters.
   */
  highlight?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Raised or lowered.
   */
  script?: 'super' | 'sub';
}
/**
 * A heading.
 */
export interface Heading {
  type: 'heading';
  /**
   * 1 (highest) to 6.
   */
  level: number;
  text: Inline;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  /**
   * Colour behind the letters.
   */
  highlight?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Alignment.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Space above in millimetres.
   */
  space_before?: number;
  /**
   * Space below in millimetres.
   */
  space_after?: number;
  /**
   * Line spacing as a percentage: 100 is single, 150 one and a half.
   */
  line_spacing?: number;
  /**
   * Indent from the left in millimetres.
   */
  indent_left?: number;
  /**
   * Indent from the right in millimetres.
   */
  indent_right?: number;
  /**
   * Additional indent of the first line in millimetres; may be negative.
   */
  first_line_indent?: number;
  /**
   * Stay on one page with the next block.
   */
  keep_with_next?: boolean;
  /**
   * Start on a new page.
   */
  page_break_before?: boolean;
}
/**
 * A piece of text with its own formatting. A line feed in `text` starts a new line, a tab stays a tab.
 */
export interface Run {
  /**
   * The text.
   */
  text: string;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  /**
   * Colour behind the letters.
   */
  highlight?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Raised or lowered.
   */
  script?: 'super' | 'sub';
  /**
   * URL that the text links to: `http:`, `https:`, `mailto:` or `tel:`.
   */
  link?: string;
}
/**
 * A paragraph. Its character formatting (bold, size …) applies to all its text unless a run overrides it.
 */
export interface Paragraph {
  type: 'paragraph';
  text: Inline;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  /**
   * Colour behind the letters.
   */
  highlight?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Alignment.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Space above in millimetres.
   */
  space_before?: number;
  /**
   * Space below in millimetres.
   */
  space_after?: number;
  /**
   * Line spacing as a percentage: 100 is single, 150 one and a half.
   */
  line_spacing?: number;
  /**
   * Indent from the left in millimetres.
   */
  indent_left?: number;
  /**
   * Indent from the right in millimetres.
   */
  indent_right?: number;
  /**
   * Additional indent of the first line in millimetres; may be negative.
   */
  first_line_indent?: number;
  /**
   * Stay on one page with the next block.
   */
  keep_with_next?: boolean;
}
/**
 * A list, bulleted or numbered.
 */
export interface List {
  type: 'list';
  /**
   * Numbers instead of bullets.
   */
  ordered?: boolean;
  /**
   * How an ordered list counts.
   */
  numbering?: 'decimal' | 'lower_alpha' | 'upper_alpha' | 'lower_roman' | 'upper_roman';
  /**
   * First number.
   */
  start?: number;
  /**
   * The items.
   *
   * @minItems 1
   * @maxItems 20000
   */
  items: ListItem[];
}
/**
 * A list item.
 */
export interface ListItemObject {
  text: Inline;
  /**
   * true: the nested items are numbered. Default: as in this list.
   */
  ordered?: boolean;
  /**
   * Nested items; at most 3 levels in all.
   *
   * @minItems 1
   * @maxItems 20000
   */
  items?: ListItem[];
}
/**
 * A table over the width of the text.
 */
export interface Table {
  type: 'table';
  /**
   * Widths and alignment of the columns.
   *
   * @minItems 1
   * @maxItems 63
   */
  columns?: TableColumn[];
  /**
   * The header row; it is repeated on every page of the table, unless it is taller than a page.
   *
   * @minItems 1
   * @maxItems 63
   */
  header?: TableCell[];
  /**
   * The rows.
   *
   * @minItems 1
   * @maxItems 20000
   */
  rows: TableCell[][];
  /**
   * Lines that are drawn.
   */
  borders?: 'all' | 'horizontal' | 'outer' | 'none';
  /**
   * Style of the lines.
   */
  border?: Border;
  header_style?: TableHeaderStyle;
}
/**
 * A column of a table.
 */
export interface TableColumnObject {
  /**
   * Relative width: columns share the table's width in proportion.
   */
  width?: number;
  /**
   * Alignment of its cells.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
}
/**
 * A table cell with its own formatting.
 */
export interface TableCellObject {
  text: Inline;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  /**
   * Colour behind the letters.
   */
  highlight?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Alignment.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Shading.
   */
  background?: Color;
  /**
   * Border around the cell; width 0 removes it.
   */
  border?: Border;
}
/**
 * A line around something.
 */
export interface Border {
  /**
   * Width in points.
   */
  width?: number;
  color?: Color;
}
/**
 * Formatting of the header row.
 */
export interface TableHeaderStyle {
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  /**
   * Colour behind the letters.
   */
  highlight?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Alignment.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Shading.
   */
  background?: Color;
  /**
   * Border around the cell; width 0 removes it.
   */
  border?: Border;
}
/**
 * A picture in the text. Without `width` and `height` it has its natural size, at 96 pixels an inch; with one of them it keeps its proportions. One that is larger than the room for text on a page is reduced to it.
 */
export interface Image {
  type: 'image';
  /**
   * The picture itself, base64 (PNG, JPEG or GIF; at most 10 MB and 100 million pixels). A `data:` prefix is allowed.
   */
  base64?: string;
  /**
   * Public URL of the picture, or one of a host that the administrator allows.
   */
  url?: string;
  /**
   * Description of the picture, for those who cannot see it.
   */
  alt?: string;
  /**
   * Width in millimetres.
   */
  width?: number;
  /**
   * Height in millimetres.
   */
  height?: number;
  /**
   * Horizontal position.
   */
  align?: 'left' | 'center' | 'right';
  /**
   * Text below the picture.
   */
  caption?: Inline;
}
/**
 * The next block starts on a new page.
 */
export interface PageBreak {
  type: 'page_break';
}
/**
 * A line across the page.
 */
export interface HorizontalRule {
  type: 'horizontal_rule';
  /**
   * Width in points.
   */
  width?: number;
  color?: Color;
}
/**
 * One sheet.
 */
export interface Sheet {
  /**
   * Unique in the document, ignoring case. Default: `Sheet1`, `Sheet2` …
   */
  name?: string;
  /**
   * The columns from the left.
   *
   * @minItems 1
   * @maxItems 1024
   */
  columns?: Column[];
  /**
   * The rows from the top.
   *
   * @minItems 0
   * @maxItems 1048576
   */
  rows: Row[];
  freeze?: Freeze;
  /**
   * Filter buttons: `true` for the whole table with its first row as header, or a range.
   */
  autofilter?: boolean | string;
  /**
   * Colour of the sheet's tab.
   */
  tab_color?: Color;
  /**
   * Not shown. If all are hidden, the first one is shown.
   */
  hidden?: boolean;
  print?: PrintSetup;
}
/**
 * A column: its formatting applies to all its cells unless a row or a cell overrides it.
 */
export interface Column {
  /**
   * Width in millimetres. LibreOffice keeps no wider column.
   */
  width?: number;
  /**
   * Not shown.
   */
  hidden?: boolean;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * Text; never interpreted as a number or a formula.
 */
export interface StringCell {
  type: 'string';
  /**
   * The text.
   */
  value: string;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * A number.
 */
export interface NumberCell {
  type: 'number';
  /**
   * The number.
   */
  value: number;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * True or false.
 */
export interface BooleanCell {
  type: 'boolean';
  /**
   * The truth value.
   */
  value: boolean;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * A day, or a moment without a time zone. Excel shows none before 1900.
 */
export interface DateCell {
  type: 'date';
  /**
   * ISO 8601: `2026-11-21` or `2026-11-21T08:30:00`. Excel shows no date before 1900.
   */
  value: string;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * A time of day or a duration.
 */
export interface TimeCell {
  type: 'time';
  /**
   * `HH:MM` or `HH:MM:SS`; hours may go up to 9999.
   */
  value: string;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * A share: 0.25 is 25 %.
 */
export interface PercentageCell {
  type: 'percentage';
  /**
   * The share.
   */
  value: number;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * An amount of money.
 */
export interface CurrencyCell {
  type: 'currency';
  /**
   * The amount.
   */
  value: number;
  /**
   * The currency.
   */
  currency?: 'VND' | 'USD' | 'EUR';
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * A formula as in Excel, with English function names and commas, such as `=SUM(B2:B9)` or `=Sheet2!A1*2`. It is calculated when the document is built; `TODAY()` and `NOW()` are then in UTC. Names, tables, other files and functions that reach outside the document are not available.
 */
export interface FormulaCell {
  type: 'formula';
  /**
   * The formula, starting with `=`.
   */
  formula: string;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * A row with its own height or formatting.
 */
export interface RowObject {
  /**
   * The cells.
   *
   * @minItems 0
   * @maxItems 1024
   */
  cells: Cell[];
  /**
   * Height in millimetres; by default that of the content.
   */
  height?: number;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Default: text left, numbers right.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Colour behind the cell.
   */
  background?: Color;
  /**
   * Break long text into lines.
   */
  wrap?: boolean;
  /**
   * Border around the cell.
   */
  border?: Border;
  format?: NumberFormat;
}
/**
 * Rows and columns that stay in sight. Those wider than about 370 mm or higher than 290 mm are not frozen.
 */
export interface Freeze {
  /**
   * Number of rows, from the top.
   */
  rows?: number;
  /**
   * Number of columns, from the left.
   */
  columns?: number;
}
/**
 * How a sheet is printed and becomes a PDF. Margins are 19 mm above and below and 18 mm at the sides unless they are given; they leave at least 10 mm each way.
 */
export interface PrintSetup {
  size?: Paper;
  /**
   * Orientation of the paper. A size in millimetres keeps its own unless this is given.
   */
  orientation?: 'portrait' | 'landscape';
  margins?: Margins;
  /**
   * Shrink to so many pages across.
   */
  fit_width?: number;
  /**
   * Shrink to so many pages down.
   */
  fit_height?: number;
  /**
   * Number of rows, from the top, to repeat on every page.
   */
  repeat_rows?: number;
  /**
   * Number of columns, from the left, to repeat on every page. A column wider than the space beside them is cut off.
   */
  repeat_columns?: number;
  /**
   * Print the grid.
   */
  gridlines?: boolean;
  /**
   * Centre the sheet across the page.
   */
  center?: boolean;
  /**
   * Only this range, such as `A1:F40`.
   */
  area?: string;
  /**
   * Header of every page. xlsx takes 255 characters in all three parts together, Excel's codes included: a font and its size take about 20. It keeps no `line`.
   */
  header?: Marginal;
  /**
   * Footer of every page, as long as a header.
   */
  footer?: Marginal;
}
/**
 * Look of all slides.
 */
export interface SlideStyle {
  /**
   * Font of all text.
   */
  font?: Font;
  /**
   * Font of titles.
   */
  title_font?: Font;
  /**
   * Colour of text.
   */
  color?: Color;
  /**
   * Colour of titles.
   */
  title_color?: Color;
  /**
   * Colour of bullets, table headers and section slides.
   */
  accent?: Color;
  /**
   * Background.
   */
  background?: Color;
  /**
   * Text at the foot of every slide except title slides.
   */
  footer?: string;
  /**
   * Number all slides but the title slide.
   */
  slide_numbers?: boolean;
}
/**
 * A title and a subtitle, for the first slide.
 */
export interface TitleSlide {
  layout: 'title';
  title: Inline;
  subtitle?: Inline;
  /**
   * Other elements on the slide, from back to front.
   *
   * @minItems 1
   * @maxItems 500
   */
  elements?: Element[];
  /**
   * Background of this slide.
   */
  background?: Color;
  /**
   * Notes for the speaker.
   */
  notes?: string;
}
/**
 * A text box.
 */
export interface TextElement {
  type: 'text';
  /**
   * Distance from the slide's left edge in millimetres.
   */
  x: number;
  /**
   * Distance from its upper edge.
   */
  y: number;
  /**
   * Width in millimetres.
   */
  width: number;
  /**
   * Height in millimetres.
   */
  height: number;
  text: Inline;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Alignment.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Fill; none without it.
   */
  background?: Color;
  /**
   * Line around it; none without it.
   */
  border?: Border;
}
/**
 * A text box with bullets or numbers.
 */
export interface BulletsElement {
  type: 'bullets';
  /**
   * Distance from the slide's left edge in millimetres.
   */
  x: number;
  /**
   * Distance from its upper edge.
   */
  y: number;
  /**
   * Width in millimetres.
   */
  width: number;
  /**
   * Height in millimetres.
   */
  height: number;
  /**
   * Numbers instead of bullets.
   */
  ordered?: boolean;
  /**
   * The items.
   *
   * @minItems 1
   * @maxItems 500
   */
  items: ListItem[];
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
  /**
   * Fill; none without it.
   */
  background?: Color;
  /**
   * Line around it; none without it.
   */
  border?: Border;
}
/**
 * A table.
 */
export interface TableElement {
  type: 'table';
  /**
   * Distance from the slide's left edge in millimetres.
   */
  x: number;
  /**
   * Distance from its upper edge.
   */
  y: number;
  /**
   * Width in millimetres.
   */
  width: number;
  /**
   * Height in millimetres.
   */
  height: number;
  /**
   * Widths and alignment of the columns.
   *
   * @minItems 1
   * @maxItems 64
   */
  columns?: TableColumn[];
  /**
   * The header row.
   *
   * @minItems 1
   * @maxItems 64
   */
  header?: TableCell[];
  /**
   * The rows.
   *
   * @minItems 1
   * @maxItems 200
   */
  rows: TableCell[][];
  /**
   * Style of the lines.
   */
  border?: Border;
  header_style?: TableHeaderStyle;
  /**
   * Font size in points.
   */
  size?: number;
}
/**
 * A picture. With one of `width` and `height` it keeps its proportions; with neither it has its natural size, reduced to what fits between its place and the ends of the slide.
 */
export interface ImageElement {
  type: 'image';
  /**
   * Distance from the slide's left edge in millimetres.
   */
  x: number;
  /**
   * Distance from its upper edge.
   */
  y: number;
  /**
   * Width in millimetres.
   */
  width?: number;
  /**
   * Height in millimetres.
   */
  height?: number;
  /**
   * The picture itself, base64 (PNG, JPEG or GIF; at most 10 MB and 100 million pixels). A `data:` prefix is allowed.
   */
  base64?: string;
  /**
   * Public URL of the picture, or one of a host that the administrator allows.
   */
  url?: string;
  /**
   * Description of the picture, for those who cannot see it.
   */
  alt?: string;
}
/**
 * A drawn shape. A line or an arrow goes from the box's upper left to its lower right corner.
 */
export interface ShapeElement {
  type: 'shape';
  /**
   * The shape.
   */
  shape: 'rectangle' | 'rounded_rectangle' | 'ellipse' | 'triangle' | 'diamond' | 'line' | 'arrow';
  /**
   * Distance from the slide's left edge in millimetres.
   */
  x: number;
  /**
   * Distance from its upper edge.
   */
  y: number;
  /**
   * Width in millimetres.
   */
  width: number;
  /**
   * Height in millimetres.
   */
  height: number;
  /**
   * Fill; none without it.
   */
  background?: Color;
  /**
   * Line around it; none without it.
   */
  border?: Border;
  /**
   * Text inside the shape; not for lines and arrows.
   */
  text?: Inline;
  /**
   * Bold.
   */
  bold?: boolean;
  /**
   * Italic.
   */
  italic?: boolean;
  /**
   * Underlined.
   */
  underline?: boolean;
  /**
   * Struck through.
   */
  strike?: boolean;
  /**
   * Colour of the letters.
   */
  color?: Color;
  font?: Font;
  /**
   * Font size in points.
   */
  size?: number;
  /**
   * Alignment.
   */
  align?: 'left' | 'center' | 'right' | 'justify';
  /**
   * Vertical alignment.
   */
  valign?: 'top' | 'middle' | 'bottom';
}
/**
 * A title and one content area.
 */
export interface ContentSlide {
  layout: 'content';
  title: Inline;
  content?: SlideContent;
  /**
   * Other elements on the slide, from back to front.
   *
   * @minItems 1
   * @maxItems 500
   */
  elements?: Element[];
  /**
   * Background of this slide.
   */
  background?: Color;
  /**
   * Notes for the speaker.
   */
  notes?: string;
}
/**
 * A title and two content areas side by side.
 */
export interface TwoColumnsSlide {
  layout: 'two_columns';
  title: Inline;
  left?: SlideContent;
  right?: SlideContent;
  /**
   * Other elements on the slide, from back to front.
   *
   * @minItems 1
   * @maxItems 500
   */
  elements?: Element[];
  /**
   * Background of this slide.
   */
  background?: Color;
  /**
   * Notes for the speaker.
   */
  notes?: string;
}
/**
 * A title between two parts.
 */
export interface SectionSlide {
  layout: 'section';
  title: Inline;
  subtitle?: Inline;
  /**
   * Other elements on the slide, from back to front.
   *
   * @minItems 1
   * @maxItems 500
   */
  elements?: Element[];
  /**
   * Background of this slide.
   */
  background?: Color;
  /**
   * Notes for the speaker.
   */
  notes?: string;
}
/**
 * Only what `elements` puts on it.
 */
export interface BlankSlide {
  layout: 'blank';
  /**
   * Other elements on the slide, from back to front.
   *
   * @minItems 1
   * @maxItems 500
   */
  elements?: Element[];
  /**
   * Background of this slide.
   */
  background?: Color;
  /**
   * Notes for the speaker.
   */
  notes?: string;
}
