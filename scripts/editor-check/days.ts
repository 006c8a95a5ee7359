import type { Day } from './day.ts';
import { DOCUMENT_DAYS } from './days/documents.ts';
import { LEAVING_DAYS } from './days/leaving.ts';
import { NETWORK_DAYS } from './days/network.ts';
import { PEOPLE_DAYS } from './days/people.ts';
import { SERVICE_DAYS } from './days/service.ts';

/** All days, the most frequent first. */
export const DAYS: readonly Day[] = [
  ...NETWORK_DAYS,
  ...SERVICE_DAYS,
  ...LEAVING_DAYS,
  ...DOCUMENT_DAYS,
  ...PEOPLE_DAYS,
];

/** The days of these names; all for none. @throws {RangeError} naming one that is not known */
export function chooseDays(names: readonly string[]): readonly Day[] {
  const unknown = names.find((name) => !DAYS.some((day) => day.name === name));
  if (unknown !== undefined) throw new RangeError(`--only ${unknown}: there is no such day; --list names them`);
  return names.length === 0 ? DAYS : DAYS.filter(({ name }) => names.includes(name));
}
