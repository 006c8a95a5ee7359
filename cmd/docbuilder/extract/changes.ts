import type { Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/**
 * Tracked changes (ODF 1.3 part 3, section 5.5). LibreOffice leaves deleted text where it was in a flat file; it is text
 * only where the document is shown with its changes, as the page then shows it as well.
 */
export function changeElements(reader: Reader): Elements {
  const deleted = new Set<string>();
  const open = new Set<string>();
  let region = '';

  const change =
    (act: (id: string) => void): Open =>
    (attributes) => {
      const id = attributes['text:change-id'] ?? '';
      if (deleted.has(id)) act(id);
      reader.isDeleted = !reader.showsChanges && open.size > 0;
      return undefined;
    };

  return {
    'config:config-item': (attributes) => {
      if (attributes['config:name'] !== 'ShowRedlineChanges') return SKIP;
      reader.raw = '';
      return () => {
        reader.showsChanges = reader.raw !== 'false';
        reader.raw = undefined;
      };
    },
    'text:changed-region': (attributes) => {
      region = attributes['text:id'] ?? '';
      return undefined;
    },
    'text:insertion': () => SKIP,
    'text:format-change': () => SKIP,
    'text:deletion': () => {
      deleted.add(region);
      return SKIP;
    },
    'text:change-start': change((id) => open.add(id)),
    'text:change-end': change((id) => open.delete(id)),
  };
}
