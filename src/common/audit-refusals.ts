/** Facts of an event. */
export type AuditFacts = Readonly<Record<string, string | number | boolean | null>>;

/** Lets the first refusals of each kind through, and counts the others. */
export interface Refusals {
  /** Whether this one is to be written as it is. */
  admits(event: string, facts: AuditFacts, caller: string | undefined): boolean;
  /** Tells what is left to tell. */
  close(): void;
}

/** Of one kind in one window. */
const MOST_WRITTEN = 10;
/** Callers beyond so many kinds are counted together. */
const MOST_KINDS = 1_000;
/** What makes refusals one kind, beside event and caller. Other facts, such as a path, are chosen by whoever is refused. */
const OF_A_KIND = ['code', 'reason', 'feature'];

interface Kind {
  event: string;
  facts: AuditFacts;
  count: number;
}

/**
 * Anybody can have themselves refused as often as they like; the trail is to stay readable all the same.
 * @param tell takes, at the end of a window, how many `more` of a kind there were than have been written
 */
export function createRefusals(tell: (event: string, facts: AuditFacts) => void, windowMs: number): Refusals {
  const kinds = new Map<string, Kind>();
  let window: { since: string; timer: NodeJS.Timeout } | undefined;

  function kindOf(event: string, facts: AuditFacts, caller: string | undefined): Kind {
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
      if (count > MOST_WRITTEN && window) tell(event, { ...facts, more: count - MOST_WRITTEN, since: window.since });
    }
    kinds.clear();
    clearTimeout(window?.timer);
    window = undefined;
  }

  return {
    admits(event, facts, caller) {
      window ??= { since: new Date().toISOString(), timer: setTimeout(end, windowMs).unref() };
      const kind = kindOf(event, facts, caller);
      kind.count += 1;
      return kind.count <= MOST_WRITTEN;
    },
    close: end,
  };
}
