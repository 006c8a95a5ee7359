import type { EditorSample, EditorView } from '../../domain/ports.ts';
import type { ReadWopiSrc } from '../../domain/wopi-src.ts';

const COMMAND = 'documents ';
/** A document without memory that has been idle for this many seconds is one that the editor forgot to remove. */
const PHANTOM_IDLE = 3600;

/** A document of the editor's list, with the texts that it holds. */
interface Listed {
  wopiSrc: string;
  wopiHost: string;
  modified: string;
  memory: number;
  idleTime: number;
  /** Undefined where they could not all be read. */
  views: ListedView[] | undefined;
}

type ListedView = Pick<EditorView, 'userId' | 'viewId' | 'readonly'>;

/**
 * Reads the sample in an answer to `documents`. The editor does not escape quotes in names: an answer that does not
 * parse is read document by document, and a document that cannot be read keeps its former views. @param options.at time
 * of the answer
 * @returns undefined when nothing can be read
 */
export function readDocuments(
  text: string,
  options: { at: number; previous: EditorSample | undefined; readWopiSrc: ReadWopiSrc },
): EditorSample | undefined {
  if (!text.startsWith(COMMAND)) return undefined;
  const whole = parseJson(text.slice(COMMAND.length)) as { documents?: unknown } | null | undefined;
  const documents = Array.isArray(whole?.documents) ? whole.documents.map(toListed) : readPieces(text);
  if (!documents) return undefined;
  const { at, previous, readWopiSrc } = options;
  const views: EditorView[] = [];
  const modified: string[] = [];
  let count = 0;
  for (const document of documents) {
    const source = isPhantom(document) ? undefined : readWopiSrc(document.wopiSrc);
    if (!source) continue;
    const { wopiSrc, docId } = source;
    count += 1;
    if (docId !== null && document.modified === 'Yes') modified.push(docId);
    if (document.views) views.push(...document.views.map((view) => ({ docId, wopiSrc, ...view })));
    else views.push(...(previous?.views.filter((view) => view.wopiSrc === wopiSrc) ?? []));
  }
  return { at, views, documents: count, modified };
}

/** Conversions and leftovers of them have no host; some documents stay listed after their process has gone. */
function isPhantom({ wopiHost, wopiSrc, memory, idleTime }: Listed): boolean {
  return wopiHost === '' || !/^https?:/.test(wopiSrc) || (memory === 0 && idleTime > PHANTOM_IDLE);
}

/** Returns undefined when not even the documents can be told apart. */
function readPieces(text: string): Listed[] | undefined {
  // Without the end of the list each document is what comes up to its last brace.
  const [, ...parts] = text.slice(0, text.lastIndexOf(']')).split(/(?=\{\s*"pid"\s*:)/);
  const pieces: string[] = [];
  // A part without an address is no document, but a name that looks like the beginning of one.
  for (const part of parts) pieces.push(part.includes('"wopiSrc"') ? part : `${pieces.pop() ?? ''}${part}`);
  if (!pieces.every((piece) => piece.includes('"wopiSrc"')) || pieces.length === 0) return undefined;
  return pieces.map((piece) => {
    const value = parseJson(piece.slice(0, piece.lastIndexOf('}') + 1));
    return value === undefined ? recover(piece) : toListed(value);
  });
}

function toListed(value: unknown): Listed {
  const { wopiSrc, wopiHost, modified, memory, idleTime, views } = (value ?? {}) as Record<string, unknown>;
  return {
    wopiSrc: toText(wopiSrc),
    wopiHost: toText(wopiHost),
    modified: toText(modified),
    memory: Number(memory),
    idleTime: Number(idleTime),
    views: Array.isArray(views) ? views.map(toListedView) : undefined,
  };
}

function toListedView(value: unknown): ListedView {
  const { userId, sessionid, readonly } = (value ?? {}) as Record<string, unknown>;
  return { userId: toText(userId), viewId: toText(sessionid), readonly: toText(readonly) === '1' };
}

/** Reads a document whose JSON is broken from the unbroken parts around the names. */
function recover(piece: string): Listed {
  const member = (name: string): string => new RegExp(`"${name}"\\s*:\\s*"?([^",}]*)`).exec(piece)?.[1] ?? '';
  const ends = piece.matchAll(
    /"userId"\s*:\s*"([^"\\]*)"\s*,\s*"sessionid"\s*:\s*"([^"\\]*)"\s*,\s*"readonly"\s*:\s*"?([01])"?\s*\}/g,
  );
  const views = [...ends].map(([, userId = '', viewId = '', flag]) => ({ userId, viewId, readonly: flag === '1' }));
  return {
    wopiSrc: member('wopiSrc'),
    wopiHost: member('wopiHost'),
    modified: member('modified'),
    memory: Number(member('memory')),
    idleTime: Number(member('idleTime')),
    views: views.length === Number(member('activeViews')) ? views : undefined,
  };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
