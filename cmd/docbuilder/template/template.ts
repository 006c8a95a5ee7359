import { AppError, fileTooLarge } from '../../../src/common/errors.ts';

/** A missing field becomes empty, or an error (contract: `options.missing`). */
export type MissingMode = 'empty' | 'error';

/** Paths are absolute. */
export interface TemplateTask {
  /** An inspected docx or dotx without macros. It is only read. */
  template: string;
  /** A JSON object, as V8 serializes it. */
  data: Uint8Array;
  /** The docx to write, an empty file. */
  output: string;
  missing: MissingMode;
  maxOutputBytes: number;
}

/** One mistake in a template, or between a template and its data. */
export interface TemplateMistake {
  /** Name of the part, such as `word/header1.xml`. */
  part: string;
  place: TemplatePlace;
  /** Counted from 1 within the part, in document order, with those in tables and text boxes. */
  paragraph: number;
  /** The tag as written; only the first word of a tag that never ends, as the rest is the document's text. */
  tag: string;
  /** Its field, with the lists around it: `people.name`. */
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

/** The place of a part with this content type; undefined if it holds no tags, as comments do. */
export function templatePlace(contentType: string): TemplatePlace | undefined {
  const end = WORD_TYPE.exec(contentType.trim())?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(PLACES, end) ? PLACES[end as keyof typeof PLACES] : undefined;
}

/** Limits of an answer. */
const MOST_FIELDS = 10_000;
const MOST_ERRORS = 1_000;

/** `template_error` with each field once (contract: DocBuilder codes). */
export function templateError(mistakes: readonly TemplateMistake[], cause?: unknown): AppError {
  const fields = [...new Set(mistakes.map(({ field }) => field).filter((field) => field !== ''))];
  const detail = { fields: fields.slice(0, MOST_FIELDS), errors: mistakes.slice(0, MOST_ERRORS) };
  return new AppError('template_error', detail, { cause });
}

/** The result exceeds the plan's limit, or with `memory_limit` that of memory while it is filled. */
export function outputTooLarge(maxBytes: number, reason?: 'memory_limit', cause?: unknown): AppError {
  return fileTooLarge(maxBytes, { subject: 'output', ...(reason && { reason }) }, cause);
}
