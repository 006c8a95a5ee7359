import type Docxtemplater from 'docxtemplater';
import type { Json } from './template-data.ts';
import { runText } from './xml.ts';

type Module = Docxtemplater.DXT.Module;
type Parser = Docxtemplater.DXT.Options['parser'];

/** What tags stand for. Scopes are the data itself, then one item for each list around the tag. */
export interface ValueSource {
  text(tag: number, scopes: readonly Json[], lists: readonly number[]): string;
  list(tag: number, scopes: readonly Json[], lists: readonly number[]): readonly Json[];
  data: Json;
  /** A number that no picture of the document has. */
  nextPictureId(): number;
  /** Told how large the part has become while it is filled and before it is put together; throws to refuse it. */
  admit(bytes: number): void;
}

/** What each piece of a filled part costs besides its text: lists within lists soon make more pieces than text. */
const PIECE_BYTES = 16;
/** The same of each item of a list, even if nothing comes of it: two million items are what a part may have. */
const ITEM_BYTES = 256;

/** What ties docxtemplater to our own look-up of fields, and writes values. One for each part. */
export function tagModule(): Module & { parser: NonNullable<Parser>; fillFrom(values: ValueSource): void } {
  let values: ValueSource | undefined;
  let size = 0;
  const grow = (length: number): void => {
    size += length + PIECE_BYTES;
    source().admit(size);
  };
  const source = (): ValueSource => {
    if (!values) throw new Error('no data yet');
    return values;
  };
  return {
    name: 'Tags',
    // Before the library's own rendering of values.
    priority: 1,

    fillFrom(from: ValueSource): void {
      values = from;
    },

    /** Asked for lists; the scopes of a module's tag are looked through here, not one by one. */
    parser: (number: string) => ({
      get: (_scope: unknown, { scopeList, scopePath }) => {
        const items = source().list(Number(number), scopesOf(scopeList), scopePath.map(Number));
        grow(items.length * ITEM_BYTES);
        return items;
      },
    }),

    render(part, { scopeManager }) {
      const { scopeList, scopePath } = scopeManager;
      if (part.type === 'placeholder' && !part.module) {
        const text = source().text(Number(part.value), scopesOf(scopeList), scopePath.map(Number));
        grow(text.length);
        return { value: runText(text), errors: [] };
      }
      grow(part.value.length);
      // Word calls a document broken in which two pictures have one id.
      if (part.tag === 'wp:docPr' && part.position !== 'end' && scopePath.length > 0) {
        return { value: part.value.replace(/ id="[^"]*"/, () => ` id="${source().nextPictureId()}"`), errors: [] };
      }
      return null;
    },

    postrender(parts) {
      let bytes = 0;
      for (const part of parts) {
        bytes += Buffer.byteLength(part);
        source().admit(bytes);
      }
      return parts;
    },
  };

  /** The library's outermost scope is a stand-in: it takes `null` and other data for none. */
  function scopesOf(scopeList: readonly Json[]): readonly Json[] {
    return [source().data, ...scopeList.slice(1)];
  }
}
