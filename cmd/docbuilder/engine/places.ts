/** So many that there may be at a time of something, a number that may change at any time. */
export interface Places {
  /** Resolves when there is a place, which is then taken; first come, first served. */
  take(): Promise<void>;
  /** Gives a place back. */
  leave(): void;
  /** From now on there are so many. Nobody is put out of a place. */
  resize(size: number): void;
  size(): number;
  full(): boolean;
  /** How many have a place that there is no more. */
  surplus(): number;
}

export function createPlaces(size: number): Places {
  const waiting: (() => void)[] = [];
  let taken = 0;

  function offer(): void {
    while (taken < size) {
      const next = waiting.shift();
      if (!next) return;
      taken += 1;
      next();
    }
  }

  return {
    take() {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      offer();
      return promise;
    },
    leave() {
      taken -= 1;
      offer();
    },
    resize(to) {
      size = to;
      offer();
    },
    size: () => size,
    full: () => taken >= size,
    surplus: () => Math.max(0, taken - size),
  };
}
