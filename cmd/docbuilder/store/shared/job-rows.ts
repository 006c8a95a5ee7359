import { errorBody } from '../../../../src/common/errors.ts';
import type { Query, Value } from '../../../../src/common/sql/query.ts';
import type { JobRecord } from '../../jobs/job.ts';
import { stopping } from '../../jobs/queue.ts';

/** Milliseconds that a replica has to remove the files of claimed jobs. */
const REMOVAL_MS = 60_000;
/** Expired jobs that are claimed at a time. */
const CLAIMED = 500;

const COLUMNS = 'record, lost_at, expires_at';
const ENDED = 'state = ?, record = ?, expires_at = ?, remove_at = ?';

/** Rows of jobs. A row belongs to the replica that runs the job and then sends its callback. */
export class JobRows {
  readonly #query: Query;
  readonly #replica: string;

  constructor(query: Query, replica: string) {
    this.#query = query;
    this.#replica = replica;
  }

  async add(job: JobRecord): Promise<void> {
    const values = [job.id, this.#replica, JSON.stringify(job)];
    await this.#query(`INSERT INTO docbuilder_jobs (id, replica, state, record) VALUES (?, ?, 'open', ?)`, values);
  }

  /** Updates a job that has not ended. */
  async noteProgress(job: JobRecord): Promise<void> {
    const where = `WHERE id = ? AND replica = ? AND state = 'open'`;
    await this.#query(`UPDATE docbuilder_jobs SET record = ? ${where}`, [JSON.stringify(job), job.id, this.#replica]);
  }

  /**
   * Writes a job that ends now. @param isAdded whether it has a row, unless that has expired meanwhile
   * @returns false where it has ended before: taken over, also if it came back, or no answer came to an earlier attempt
   */
  async end(job: JobRecord, isAdded: boolean): Promise<boolean> {
    const ending = isAdded
      ? `UPDATE docbuilder_jobs SET ${ENDED} WHERE id = ? AND replica = ? AND state = 'open' RETURNING id`
      : `INSERT INTO docbuilder_jobs (state, record, expires_at, remove_at, id, replica) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING RETURNING id`;
    return (await this.#query(ending, this.#ended(job))).length > 0;
  }

  /** Updates an ended job of this replica. */
  async update(job: JobRecord): Promise<void> {
    await this.#query(
      `UPDATE docbuilder_jobs SET ${ENDED}, lost_at = NULL WHERE id = ? AND replica = ?`,
      this.#ended(job),
    );
  }

  async read(id: string): Promise<JobRecord | undefined> {
    const [row] = await this.#query(`SELECT ${COLUMNS} FROM docbuilder_jobs WHERE id = ?`, [id]);
    return row && toRecord(row);
  }

  /** Returns the ids of this replica's jobs that have not ended. */
  async open(): Promise<Set<string>> {
    const text = `SELECT id FROM docbuilder_jobs WHERE replica = ? AND state = 'open'`;
    return new Set((await this.#query(text, [this.#replica])).map(([id]) => String(id)));
  }

  async isOwn(id: string): Promise<boolean> {
    const values = [id, this.#replica];
    return (await this.#query('SELECT 1 FROM docbuilder_jobs WHERE id = ? AND replica = ?', values)).length > 0;
  }

  /**
   * Takes over the jobs of dead replicas. Those that had not ended have failed.
   * @param again also returns jobs with a pending callback that are this replica's already
   */
  async takeOver(now: number, expiresAt: number, again: boolean): Promise<JobRecord[]> {
    // PostgreSQL evaluates NOT IN again for a row that another replica has just taken over, and NOT EXISTS, a join, not.
    const rows = await this.#query(
      `UPDATE docbuilder_jobs SET
         replica = ?,
         lost_at = CASE WHEN state = 'open' THEN ?::bigint ELSE lost_at END,
         expires_at = CASE WHEN state = 'open' THEN ?::bigint ELSE expires_at END,
         remove_at = CASE WHEN state = 'open' THEN ?::bigint ELSE remove_at END,
         state = 'calling'
       WHERE state <> 'ended'
         AND (replica NOT IN (SELECT id FROM docbuilder_replicas) OR (state = 'calling' AND replica = ?))
       RETURNING ${COLUMNS}`,
      [this.#replica, now, expiresAt, expiresAt, again ? this.#replica : null],
    );
    return rows.map(toRecord);
  }

  /** Claims expired jobs, whose files are to be removed before their rows. */
  async claimExpired(now: number): Promise<JobRecord[]> {
    const rows = await this.#query(
      `UPDATE docbuilder_jobs SET remove_at = ? WHERE id IN (
         SELECT id FROM docbuilder_jobs WHERE remove_at <= ? ORDER BY remove_at LIMIT ${CLAIMED} FOR UPDATE SKIP LOCKED)
       RETURNING ${COLUMNS}`,
      [now + REMOVAL_MS, now],
    );
    return rows.map(toRecord);
  }

  async remove(ids: readonly string[]): Promise<void> {
    const text = 'DELETE FROM docbuilder_jobs WHERE id IN (SELECT jsonb_array_elements_text(?::jsonb))';
    await this.#query(text, [JSON.stringify(ids)]);
  }

  /** Returns those of some ids that have a row. */
  async known(ids: readonly string[]): Promise<Set<string>> {
    const text = 'SELECT id FROM docbuilder_jobs WHERE id IN (SELECT jsonb_array_elements_text(?::jsonb))';
    return new Set((await this.#query(text, [JSON.stringify(ids)])).map(([id]) => String(id)));
  }

  #ended(job: JobRecord): Value[] {
    const state = job.callback?.state === 'pending' ? 'calling' : 'ended';
    return [state, JSON.stringify(job), job.expiresAt, job.expiresAt, job.id, this.#replica];
  }
}

/** A job that was lost with its replica has the error of a stop. */
function toRecord([record, lostAt, expiresAt]: readonly Value[]): JobRecord {
  const job: JobRecord = JSON.parse(String(record));
  if (lostAt === null || lostAt === undefined) return job;
  const { code, detail, retryAfter } = stopping();
  const end = { finishedAt: Number(lostAt), expiresAt: Number(expiresAt), outputs: [] };
  return { ...job, ...end, status: 'failed', error: errorBody(code, detail), retryAfter };
}
