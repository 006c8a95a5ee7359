import { AppError, fileTooLarge } from '../../../src/common/errors.ts';

/** A field that the data does not have becomes nothing, or an error (contract: `options.missing`). */
export type MissingMode = 'empty' | 'error';

/** One template and what fills it. Paths are absolute. */
export interface TemplateTask {
  /** A docx or dotx that was inspected: a sound package without macros. It is only read. */
  template: string;
  /** A JSON object, as V8 serializes it. */
  data: Uint8Array;
  /** The docx that is written; it is there, and empty. */
  output: string;
  missing: MissingMode;
  /** A larger result is refused. */
  maxOutputBytes: number;
}

/** One mistake in a template, or between a template and its data. */
export interface TemplateMistake {
  /** Name of the part, such as `word/header1.xml`. */
  part: string;
  /** The name of that part to a person. */
  place: TemplatePlace;
  /** Counted from 1 within the part, in the order in which paragraphs begin, those in tables and boxes too. */
  paragraph: number;
  /** The tag as written; of one that never ends, its first word. No other text of the document. */
  tag: string;
  /** The field that it names, with the lists around it: `people.name`. */
  field: string;
  message: string;
}

/** Parts of a document that hold tags, by the end of their content type (ECMA-376 part 1, section 11.3). */
const PLACES = {
  'document.main+xml': 'body',
  'template.main+xml': 'body',
  'header+xml': 'header',
  'footer+xml': 'footer',
  'footnotes+xml': 'footnotes',
  'endnotes+xml': 'endnotes',
} as const;
export type TemplatePlace = (typeof PLACES)[keyof typeof PLACES];

const WORD_TYPE = /^application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.([a-z.]+\+xml)$/i;

/** Returns the place of a part with this content type; undefined if it holds no tags. Comments hold none. */
export function templatePlace(contentType: string): TemplatePlace | undefined {
  const end = WORD_TYPE.exec(contentType.trim())?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(PLACES, end) ? PLACES[end as keyof typeof PLACES] : undefined;
}

/** More of either helps nobody and makes an answer of megabytes. */
const MOST_FIELDS = 10_000;
const MOST_ERRORS = 1_000;

/** `template_error`: `fields` has each field once, `errors` says where each mistake is (contract: DocBuilder codes). */
export function templateError(mistakes: readonly TemplateMistake[], cause?: unknown): AppError {
  const fields = [...new Set(mistakes.map(({ field }) => field).filter((field) => field !== ''))];
  const detail = { fields: fields.slice(0, MOST_FIELDS), errors: mistakes.slice(0, MOST_ERRORS) };
  return new AppError('template_error', detail, { cause });
}

/** The result is larger than the plan allows; with `memory_limit`, than a template may become while it is filled. */
export function outputTooLarge(maxBytes: number, reason?: 'memory_limit', cause?: unknown): AppError {
  return fileTooLarge(maxBytes, { subject: 'output', ...(reason && { reason }) }, cause);
}
