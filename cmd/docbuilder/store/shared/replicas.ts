import { randomUUID } from 'node:crypto';
import type { Query } from '../../../../src/common/sql/query.ts';
import type { Group, Load, Replica } from '../../jobs/limits.ts';

/** A replica whose beat has not changed for so long has ended. */
const DEAD_MS = 10_000;
/** One that is silent for so long is given no work. */
const SILENT_MS = 3_000;
/** Without a look at the others for so long nothing can be said of how long they have been silent. */
const BLIND_MS = 4_000;

/** A beat of another replica, and since when it has been the last one, by this process's clock. */
interface Seen {
  beat: number;
  since: number;
}

const BEAT = `
  INSERT INTO docbuilder_replicas (id, address, beat, load) VALUES (?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, load = excluded.load`;
const ALL = 'SELECT id, address, beat, load FROM docbuilder_replicas ORDER BY joined';

/**
 * The DocBuilders that share a database, each with a row that says every second that it lives. Clocks are not compared:
 * one that was seen not to change its row for 10 s has ended, and its row is removed.
 */
export class Replicas implements Group {
  readonly id = randomUUID();
  readonly #query: Query;
  /** Host and port at which the others reach this one. */
  address: string;
  readonly #now: () => number;
  #load: (() => Load) | undefined;
  #beats = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #seen = new Map<string, Seen>();
  #all: Replica[] = [];

  /** @param now a clock of milliseconds that is never set */
  constructor(query: Query, address: string, now: () => number = () => performance.now()) {
    this.#query = query;
    this.address = address;
    this.#now = now;
  }

  others(): readonly Replica[] {
    return this.#all.filter(({ id }) => id !== this.id);
  }

  rank(): number {
    const staying = this.#all.filter(({ id, leaving }) => id === this.id || !leaving);
    return Math.max(
      0,
      staying.findIndex(({ id }) => id === this.id),
    );
  }

  /** Returns whether the database has answered lately. */
  isConnected(): boolean {
    return this.#now() - this.#lookedAt < BLIND_MS;
  }

  /** From now on the others know this one. */
  async join(load: () => Load): Promise<void> {
    this.#load = load;
    await this.beat();
  }

  /** Says that this one lives, looks at the others, and removes those that do not. @throws when the database is away */
  async beat(): Promise<void> {
    if (!this.#load) return;
    this.#beats += 1;
    await this.#query(BEAT, [this.id, this.address, this.#beats, JSON.stringify(this.#load())]);
    const rows = await this.#query(ALL, []);
    const now = this.#now();
    // An absence of this process's own, or of the database, is nobody's silence.
    if (now - this.#lookedAt > BLIND_MS) this.#seen.clear();
    this.#lookedAt = now;
    this.#seen = new Map(rows.map(([id, , beat]) => [String(id), this.#look(String(id), Number(beat), now)]));
    const silence = (id: string): number => now - (this.#seen.get(id)?.since ?? now);
    const all = rows.map(([id, address, , load]) => toReplica(String(id), String(address), JSON.parse(String(load))));
    this.#all = all
      .filter(({ id }) => id === this.id || silence(id) < DEAD_MS)
      .map((replica) => (silence(replica.id) < SILENT_MS ? replica : { ...replica, free: 0, room: 0 }));
    for (const [id, { beat }] of this.#seen) {
      if (id === this.id || silence(id) < DEAD_MS) continue;
      await this.#query('DELETE FROM docbuilder_replicas WHERE id = ? AND beat = ?', [id, beat]);
    }
  }

  async leave(): Promise<void> {
    this.#load = undefined;
    await this.#query('DELETE FROM docbuilder_replicas WHERE id = ?', [this.id]);
  }

  #look(id: string, beat: number, now: number): Seen {
    const seen = this.#seen.get(id);
    return seen?.beat === beat ? seen : { beat, since: now };
  }
}

function toReplica(id: string, address: string, load: Load): Replica {
  return { ...load, id, address };
}
