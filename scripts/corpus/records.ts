import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Records of a run in a file of JSON lines: a run that was ended goes on where it was. */
export class Records<T> {
  readonly #path: string;
  readonly #byKey = new Map<string, T>();

  /** @param getKey a later record replaces an earlier one with the same key */
  constructor(path: string, getKey: (record: T) => string) {
    this.#path = path;
    this.getKey = getKey;
    for (const line of readLines(path)) {
      const record = JSON.parse(line) as T;
      this.#byKey.set(getKey(record), record);
    }
  }

  readonly getKey: (record: T) => string;

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  all(): T[] {
    return [...this.#byKey.values()];
  }

  add(record: T): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, `${JSON.stringify(record)}\n`);
    this.#byKey.set(this.getKey(record), record);
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
