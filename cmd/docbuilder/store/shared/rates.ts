import { VIETNAM_OFFSET_MS } from '../../../../src/common/clock.ts';
import type { Query } from '../../../../src/common/sql/query.ts';
import { DAY_MS, MINUTE_MS, RateLimited, type RateLimiter, type Rates, toUsage, type Usage } from '../../jobs/rates.ts';

/** The current windows by the database's clock, which all replicas share. */
const NOW = `
  SELECT ms - ms % ${MINUTE_MS} AS minute, ms - (ms + ${VIETNAM_OFFSET_MS}) % ${DAY_MS} AS day, ms
  FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS clock`;

/** The row's window, or a new one if that is over. Another request may just have begun the next one. */
function columns(window: 'minute' | 'day', lengthMs: number): { start: string; used: string } {
  const isCurrent = `rates.${window}_start BETWEEN now.${window} AND now.${window} + ${lengthMs}`;
  return {
    start: `CASE WHEN ${isCurrent} THEN rates.${window}_start ELSE now.${window} END`,
    used: `CASE WHEN ${isCurrent} THEN rates.${window}_used ELSE 0 END`,
  };
}

const MINUTE = columns('minute', MINUTE_MS);
const DAY = columns('day', DAY_MS);

const READ = `
  SELECT ${MINUTE.start}, ${DAY.start}, now.ms, ${MINUTE.used}, ${DAY.used}
  FROM docbuilder_rates AS rates, (${NOW}) AS now`;
/** The conditions hold also after a wait for the row's lock. */
const TAKE = `
  UPDATE docbuilder_rates AS rates SET
    minute_start = ${MINUTE.start}, minute_used = ${MINUTE.used} + 1,
    day_start = ${DAY.start}, day_used = ${DAY.used} + 1
  FROM (${NOW}) AS now
  WHERE ${MINUTE.used} < ?::bigint AND (?::bigint IS NULL OR ${DAY.used} < ?::bigint)
  RETURNING rates.minute_start, rates.day_start, now.ms, rates.minute_used, rates.day_used`;
/** A window that has ended since stays as it is. */
const REFUND = `
  UPDATE docbuilder_rates SET
    minute_used = minute_used - CASE WHEN minute_start = ? THEN 1 ELSE 0 END,
    day_used = day_used - CASE WHEN day_start = ? THEN 1 ELSE 0 END`;

/** Counts the requests of all replicas in one row. @param rates is called at every request */
export function createSharedRates(query: Query, rates: () => Rates): RateLimiter {
  async function look(): Promise<{ usage: Usage; now: number }> {
    const [row = []] = await query(READ, []);
    return fromRow(row.map(Number), rates());
  }

  return {
    usage: async () => (await look()).usage,
    async take() {
      const { minute, day } = rates();
      const [row] = await query(TAKE, [minute, day, day]);
      if (!row) {
        const { usage, now } = await look();
        // Else the window has ended meanwhile.
        if (usage.minute.remaining === 0 || usage.day.remaining === 0) throw new RateLimited(usage, now);
        return this.take();
      }
      const numbers = row.map(Number);
      return {
        usage: fromRow(numbers, rates()).usage,
        refund() {
          const [minuteStart = 0, dayStart = 0, now = 0, minuteUsed = 0, dayUsed = 0] = numbers;
          // The answer does not wait for it; a lost one counts the request.
          void query(REFUND, [minuteStart, dayStart]).catch(() => {});
          return fromRow([minuteStart, dayStart, now, minuteUsed - 1, dayUsed - 1], rates()).usage;
        },
      };
    },
  };
}

function fromRow(
  [minuteStart = 0, dayStart = 0, now = 0, minuteUsed = 0, dayUsed = 0]: readonly number[],
  rates: Rates,
): { usage: Usage; now: number } {
  return { usage: toUsage({ start: minuteStart, used: minuteUsed }, { start: dayStart, used: dayUsed }, rates), now };
}
