import Docxtemplater from 'docxtemplater';
import { BLOCK_HOLDERS, mendEmptied } from './emptied.ts';
import { fieldName, getField, isListTagAlone, type Json, listFrom, scanTags, shownTag, textFrom } from './language.ts';
import type { MissingMode, TemplateMistake, TemplatePlace } from './template.ts';
import { outputTooLarge, templateError } from './template.ts';
import { ADDED_PARAGRAPH, BOUNDARY, runText } from './xml.ts';

type Module = Docxtemplater.DXT.Module;
type Matchers = ReturnType<NonNullable<Module['matchers']>>;
type Part = Docxtemplater.DXT.Part;
type Parser = Docxtemplater.DXT.Parser;
type RenderOptions = Docxtemplater.DXT.RenderOptions;

/** Limit of a filled part; a table of 100,000 rows has 40 to 120 MiB. */
const MAX_PART_BYTES = 512 * 1024 * 1024;
/** Counted for each piece as well: lists within lists make more pieces than text. */
const PIECE_BYTES = 16;
/** Lists in lists. */
const MOST_NESTED = 32;
/** Larger than ids that programs give to pictures, and valid. */
const FIRST_PICTURE_ID = 1_000_000_000;

/** Documented, but not in docxtemplater's types. */
const { DocUtils, FileTypeConfig } = Docxtemplater as unknown as {
  DocUtils: { wordToUtf8(xml: string): string };
  FileTypeConfig: { docx(): { tagsXmlLexedArray: string[] } };
};

/** A token of docxtemplater's lexer. */
interface Token {
  type: string;
  position: string;
  tag?: string;
  value: string;
  offset: number;
}

interface Paragraph {
  number: number;
  text: string;
  /** Tokens of its text outside of tags, since its start or the end of a text box in it. */
  contents: Token[];
  /** The open tag: the lexer's offset, and its text so far without braces. */
  tag: { offset: number; inside: string } | undefined;
}

interface LibraryError {
  properties?: { id: string; file: string; offset?: number | number[]; errors?: LibraryError[] };
}

/** A part of a template with its tags. */
interface TemplatePart {
  place: TemplatePlace;
  /** Each tag without its braces, and the number of its paragraph, by the lexer's offset of the tag. */
  tags: Map<number, { inside: string; paragraph: number }>;
}

export interface TagOptions {
  /** By the parts' names. */
  parts: ReadonlyMap<string, TemplatePlace>;
  missing: MissingMode;
  maxOutputBytes: number;
}

/** A docxtemplater module for version 1 of the template language: fields, lists, and mistakes with their places. */
export class TagModule implements Module {
  readonly name = 'TagModule';
  /** Before the library's own modules, which have other kinds of tags. */
  readonly priority = 1;
  readonly #options: TagOptions;
  readonly #parts: Map<string, TemplatePart>;
  readonly #mistakes = new Map<string, TemplateMistake>();
  #file = '';
  #depth = 0;
  #size = 0;
  #pictures = FIRST_PICTURE_ID;

  [member: string]: unknown;

  constructor(options: TagOptions) {
    this.#options = options;
    this.#parts = new Map([...options.parts].map(([name, place]) => [name, { place, tags: new Map() }]));
  }

  /** The mistakes found in the template or its data by now. */
  get mistakes(): TemplateMistake[] {
    return [...this.#mistakes.values()];
  }

  getFileType(): string {
    return 'docx';
  }

  optionsTransformer(options: Docxtemplater.DXT.Options, document: Docxtemplater): Docxtemplater.DXT.Options {
    document.targets = [...this.#options.parts.keys()];
    // The library looks up the body's sections in every part, and has none if the body has no tags.
    for (const module of document.modules) if (module['name'] === 'LoopModule') module['sects'] = [];
    return options;
  }

  /** Checks the tags of each paragraph. A tag ends in its paragraph, and before a text box in it. */
  preparse(lexed: Token[], { filePath }: { filePath: string }): Token[] {
    this.#file = filePath;
    this.#depth = 0;
    const tokens = lexed.filter((_, index) => !isBoundary(lexed, index));
    const open: Paragraph[] = [];
    let count = 0;
    for (const token of tokens) {
      if (token.tag === 'w:p') {
        if (token.position !== 'end') {
          this.#checkText(open.at(-1));
          if (token.value !== ADDED_PARAGRAPH) count += 1;
          open.push({ number: count, text: '', contents: [], tag: undefined });
        }
        if (token.position !== 'start') this.#checkText(open.pop());
      } else {
        this.#readToken(token, open.at(-1));
      }
    }
    return tokens.filter(({ type, value }) => type !== 'content' || value !== '');
  }

  #readToken(token: Token, paragraph: Paragraph | undefined): void {
    if (!paragraph) return;
    if (token.type === 'content' && token.position === 'insidetag') {
      const text = DocUtils.wordToUtf8(token.value);
      paragraph.text += text;
      if (paragraph.tag) paragraph.tag.inside += text;
      else paragraph.contents.push(token);
    } else if (token.type === 'delimiter') {
      paragraph.text += token.position === 'start' ? '{{' : '}}';
      if (token.position === 'start') paragraph.tag = { offset: token.offset, inside: '' };
      else this.#endTag(paragraph);
    }
  }

  #endTag(paragraph: Paragraph): void {
    if (!paragraph.tag) return;
    const { offset, inside } = paragraph.tag;
    this.#part.tags.set(offset, { paragraph: paragraph.number, inside });
    paragraph.tag = undefined;
    if (fieldName(inside, '#') !== undefined) this.#depth += 1;
    if (fieldName(inside, '/') !== undefined) this.#depth -= 1;
    if (this.#depth <= MOST_NESTED) return;
    // The library's time grows exponentially with the depth.
    this.#addListMistake('nested', offset);
    throw templateError(this.mistakes);
  }

  #checkText(paragraph: Paragraph | undefined): void {
    if (!paragraph) return;
    const { text, contents, number } = paragraph;
    Object.assign(paragraph, { text: '', contents: [], tag: undefined });
    if (!/\{\{|\}\}/.test(text)) return;
    for (const mistake of scanTags(text)) this.#addMistake({ ...mistake, paragraph: number });
    // The library removes a paragraph with only a list's tag, but not with spaces around it.
    if (isListTagAlone(text)) for (const token of contents) token.value = '';
  }

  /** Everything in braces is a list's tag or a name: there are no other prefixes and no expressions. */
  matchers(): Matchers {
    const loop = { inverted: false, expandTo: 'auto', priority: 1 };
    const matchers = [
      [(tag: string) => fieldName(tag, '#'), 'loop', { ...loop, location: 'start' }],
      [(tag: string) => fieldName(tag, '/'), 'loop', { priority: 1, location: 'end' }],
      [(tag: string) => fieldName(tag), 'field', { priority: 1 }],
    ];
    return matchers as unknown as Matchers;
  }

  /** Looks a name up in one scope; docxtemplater begins with the innermost item. */
  readonly parser = (name: string): Parser => ({
    get: (scope: Json, { num, scopePath, meta: { part } }) => {
      const found = name === '.' ? scope : getField(scope, name);
      if (found === undefined && num > 0) return undefined;
      const complain = (message: string): void => this.#addFieldMistake(part, scopePath, message);
      if (found === undefined && this.#options.missing === 'error') complain('dữ liệu không có trường này');
      return part.module === 'loop' ? listFrom(found ?? null, complain) : textFrom(found ?? null, complain);
    },
  });

  render(part: Part, { scopeManager, filePath }: RenderOptions): { value: string; errors: [] } | null {
    this.#startPart(filePath);
    if (part.module === 'field') {
      const value = runText(scopeManager.getValue(part.value, { part }));
      this.#grow(value);
      return { value, errors: [] };
    }
    this.#grow(part.value);
    if (part.tag !== 'wp:docPr' || part.position === 'end' || scopeManager.scopePath.length === 0) return null;
    // Word calls a document broken in which two pictures have one id.
    return { value: part.value.replace(/ id="[^"]*"/, () => ` id="${this.#pictures++}"`), errors: [] };
  }

  postrender(pieces: string[]): string[] {
    return mendEmptied(pieces);
  }

  #startPart(file: string): void {
    if (file === this.#file) return;
    this.#file = file;
    this.#size = 0;
  }

  #grow(text: string): void {
    this.#size += Buffer.byteLength(text) + PIECE_BYTES;
    if (this.#size > MAX_PART_BYTES) throw outputTooLarge(this.#options.maxOutputBytes, 'memory_limit');
  }

  /** Adds docxtemplater's errors about lists. */
  addLibraryErrors(error: unknown): void {
    const { properties } = error as LibraryError;
    for (const { properties: found } of properties?.errors ?? [error as LibraryError]) {
      if (!found || !this.#parts.has(found.file)) continue;
      this.#file = found.file;
      for (const offset of [found.offset ?? []].flat()) this.#addListMistake(found.id, offset);
    }
  }

  #addListMistake(id: string, offset: number): void {
    const tag = this.#part.tags.get(offset);
    const opening = tag && fieldName(tag.inside, '#');
    const field = opening ?? (tag && fieldName(tag.inside, '/'));
    if (!tag || field === undefined) return;
    const message = listMistake(id, opening !== undefined);
    this.#addMistake({ paragraph: tag.paragraph, tag: shownTag(tag.inside), field, message });
  }

  #addFieldMistake(part: Part, lists: readonly string[], message: string): void {
    const { inside = '', paragraph = 0 } = this.#part.tags.get(part.offset) ?? {};
    const field = [...lists, part.value].join('.');
    this.#addMistake({ paragraph, tag: shownTag(inside), field, message }, field);
  }

  #addMistake(mistake: Omit<TemplateMistake, 'part' | 'place'>, key = `${this.#mistakes.size}`): void {
    const known = `${this.#file}\0${key}`;
    if (!this.#mistakes.has(known)) {
      this.#mistakes.set(known, { part: this.#file, place: this.#part.place, ...mistake });
    }
  }

  get #part(): TemplatePart {
    const part = this.#parts.get(this.#file);
    if (!part) throw new Error('a part without tags is filled');
    return part;
  }
}

/** The library's configuration for Word, with tags in text only, and pieces for pictures and elements to be mended. */
export function fileTypeConfig(): object {
  const config = FileTypeConfig.docx();
  const tagsXmlLexedArray = [...config.tagsXmlLexedArray, 'wp:docPr', ...BLOCK_HOLDERS];
  return { ...config, tagsXmlTextArray: ['w:t'], tagsXmlLexedArray, templatedNs: [] };
}

/** True for each of the three tokens of a `w:t` with `BOUNDARY`. */
function isBoundary(tokens: readonly Token[], index: number): boolean {
  return [index - 1, index, index + 1].some((at) => tokens[at]?.value === BOUNDARY);
}

/** @param id docxtemplater's id of an error, or `nested` */
function listMistake(id: string, opening: boolean): string {
  switch (id) {
    case 'nested':
      return 'danh sách lồng nhau quá sâu';
    case 'unopened_loop':
    case 'unclosed_loop':
    case 'closing_tag_does_not_match_opening_tag':
      return opening ? 'danh sách không được đóng' : 'thẻ đóng một danh sách chưa được mở';
    default:
      return 'giữa các thẻ của danh sách này không có đoạn hay hàng nào trọn vẹn';
  }
}
