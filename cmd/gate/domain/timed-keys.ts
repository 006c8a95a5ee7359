/** Keys with their ends, epoch milliseconds: each stays equally long from when it was last added. */
export class TimedKeys extends Map<string, number> {
  readonly #stayMs: number;

  constructor(stayMs: number, stored: Iterable<[key: string, end: number]> = []) {
    super(stored);
    this.#stayMs = stayMs;
  }

  /** Adds a key, or restarts its time. */
  add(key: string, now: number): void {
    if (this.get(key) === now + this.#stayMs) return;
    // Behind the others: they are in the order of their ends.
    this.delete(key);
    this.set(key, now + this.#stayMs);
  }

  expire(now: number): void {
    for (const [key, end] of this) {
      // The clock was set back since: nobody knows how much of its time is left.
      if (end > now + this.#stayMs) this.add(key, now);
      else if (end > now) break;
      else this.delete(key);
    }
  }

  toJSON(): [key: string, end: number][] {
    return [...this];
  }
}
