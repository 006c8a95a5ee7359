/** An API key and its name in logs. */
export interface ApiKey {
  readonly name: string;
  readonly key: string;
}
export type ApiKeys = readonly ApiKey[];

const KEY = /^[A-Za-z0-9_-]{24,128}$/;
const NAME = /^[\p{L}\p{N} ._@-]{1,64}$/u;

/**
 * Parses `SVC_DOCBUILDER_API_KEYS` (contract: Authentication), a comma-separated list of `name:key` or `key`. Keys
 * without a name are key-1, key-2 and so on. Mistakes name an item by its number, since its text may be a key.
 */
export function parseApiKeys(text: string): { keys: ApiKeys; mistakes: string[] } {
  const byKey = new Map<string, ApiKey>();
  const names = new Set<string>();
  const mistakes: string[] = [];
  let unnamed = 0;
  for (const [index, item] of text
    .split(',')
    .map((part) => part.trim())
    .entries()) {
    if (item === '') continue;
    const colon = item.indexOf(':');
    const key = item.slice(colon + 1).trim();
    const name = colon < 0 ? `key-${++unnamed}` : item.slice(0, colon).trim();
    const wrong = [
      ...(KEY.test(key) ? [] : ['has a key that is not 24 to 128 letters, digits, _ or -']),
      ...(NAME.test(name) ? [] : ['has a name that is not 1 to 64 letters, digits, spaces or . _ @ -']),
      ...(byKey.has(key) ? ['repeats a key'] : []),
      ...(names.has(name) ? ['repeats a name'] : []),
    ];
    mistakes.push(...wrong.map((what) => `item ${index + 1} ${what}`));
    if (wrong.length > 0) continue;
    byKey.set(key, { name, key });
    names.add(name);
  }
  return { keys: [...byKey.values()], mistakes };
}
