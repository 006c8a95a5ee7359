/** Facts of an event. */
export type AuditFacts = Readonly<Record<string, string | number | boolean | null>>;

/** Lets the first refusals of each kind through, and counts the others. */
export interface Refusals {
  /** Returns whether this refusal is to be written as it is. */
  admits(event: string, facts: AuditFacts, caller: string | undefined): boolean;
  /** Writes the numbers that are left. */
  close(): void;
}

/** Most refusals of one kind that are written in one window. */
const MOST_WRITTEN = 10;
/** Most kinds; callers beyond them are counted together. */
const MOST_KINDS = 1_000;
/** Facts that make refusals one kind, beside event and caller. Others, such as a path, are chosen by the refused client. */
const OF_A_KIND = ['code', 'reason', 'feature'];

interface Kind {
  event: string;
  facts: AuditFacts;
  count: number;
}

/**
 * Anybody can have themselves refused as often as they like; the trail is to stay readable all the same.
 * @param write takes, at the end of a window, how many `more` of a kind there were than have been written
 */
export function createRefusals(write: (event: string, facts: AuditFacts) => void, windowMs: number): Refusals {
  const kinds = new Map<string, Kind>();
  let window: { since: string; timer: NodeJS.Timeout } | undefined;

  function findKind(event: string, facts: AuditFacts, caller: string | undefined): Kind {
    const common = Object.fromEntries(
      OF_A_KIND.flatMap((name) => (name in facts ? [[name, facts[name] ?? null]] : [])),
    );
    const known = kinds.get(JSON.stringify([event, common, caller]));
    if (known) return known;
    const own = caller !== undefined && kinds.size < MOST_KINDS;
    const key = JSON.stringify([event, common, own ? caller : undefined]);
    const kind = kinds.get(key) ?? { event, facts: { ...common, ...(own && { caller }) }, count: 0 };
    kinds.set(key, kind);
    return kind;
  }

  function end(): void {
    for (const { event, facts, count } of kinds.values()) {
      if (count > MOST_WRITTEN && window) write(event, { ...facts, more: count - MOST_WRITTEN, since: window.since });
    }
    kinds.clear();
    clearTimeout(window?.timer);
    window = undefined;
  }

  return {
    admits(event, facts, caller) {
      window ??= { since: new Date().toISOString(), timer: setTimeout(end, windowMs).unref() };
      const kind = findKind(event, facts, caller);
      kind.count += 1;
      return kind.count <= MOST_WRITTEN;
    },
    close: end,
  };
}
