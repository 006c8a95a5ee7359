import { randomUUID } from 'node:crypto';
import type { Query } from '../../../../src/common/sql/query.ts';
import type { Group, Load, Replica } from '../../jobs/limits.ts';

/** A replica without a new beat for this time is dead. */
const DEAD_MS = 10_000;
/** A replica without a new beat for this time gets no work. */
const SILENT_MS = 3_000;
/** After this time without an answer of the database the silence of others is measured anew. */
const BLIND_MS = 4_000;

/** The last beat of a replica, and the time of this process's clock at which it was first seen. */
interface Seen {
  beat: number;
  since: number;
}

const BEAT = `
  INSERT INTO docbuilder_replicas (id, address, beat, load) VALUES (?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, load = excluded.load
  RETURNING joined`;
const ALL = 'SELECT id, address, beat, load FROM docbuilder_replicas ORDER BY joined';

/**
 * The DocBuilders that share a database. Each changes its row every second; clocks are not compared. The row of one that
 * was seen unchanged for 10 s is removed.
 */
export class Replicas implements Group {
  readonly id = randomUUID();
  readonly #query: Query;
  /** Host and port for the others. */
  address: string;
  readonly #now: () => number;
  #load: (() => Load) | undefined;
  #beats = 0;
  /** Another number after others took this replica for dead. */
  joined = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #seen = new Map<string, Seen>();
  #all: Replica[] = [];

  /** @param now monotonic milliseconds */
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
    const index = staying.findIndex(({ id }) => id === this.id);
    return Math.max(0, index);
  }

  /** Returns whether the database has answered in the last seconds. */
  isConnected(): boolean {
    return this.#now() - this.#lookedAt < BLIND_MS;
  }

  /** Makes this replica known to the others. */
  async join(load: () => Load): Promise<void> {
    this.#load = load;
    await this.beat();
  }

  /** Writes a beat, reads those of the others, and removes dead replicas. @throws when the database is away */
  async beat(): Promise<void> {
    if (!this.#load) return;
    this.#beats += 1;
    const [own] = await this.#query(BEAT, [this.id, this.address, this.#beats, JSON.stringify(this.#load())]);
    this.joined = Number(own?.[0]);
    const rows = await this.#query(ALL, []);
    const now = this.#now();
    // This process, or the database, was away: the others were not silent.
    if (now - this.#lookedAt > BLIND_MS) this.#seen.clear();
    this.#lookedAt = now;
    this.#seen = new Map(rows.map(([id, , beat]) => [String(id), this.#look(String(id), Number(beat), now)]));
    const silence = (id: string): number => now - (this.#seen.get(id)?.since ?? now);
    this.#all = rows
      .map(([id, address, , load]): Replica => {
        return { ...(JSON.parse(String(load)) as Load), id: String(id), address: String(address) };
      })
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
