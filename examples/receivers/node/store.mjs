import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Keeps events in a file of JSON lines, and knows which have been seen. In a service of your own this is a table with
 * unique `delivery` and `subject`; what matters is that `record` returns only once the event is safely on disk.
 */
export async function openStore(directory) {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'events.jsonl');
  const seen = new Set();
  const versions = new Map();
  const pending = new Map();

  const remember = ({ settled, ...event }) => {
    if (settled !== undefined) return pending.delete(settled);
    seen.add(event.delivery).add(event.subject);
    if (event.key !== undefined && !(event.version <= held(event.key))) versions.set(event.key, event.version);
    return pending.set(event.delivery, event);
  };
  const held = (key) => versions.get(key) ?? 0;

  for (const line of (await readFile(path, 'utf8').catch(orEmpty)).split('\n')) {
    const entry = parseLine(line);
    if (entry !== undefined) remember(entry);
  }
  const file = await open(path, 'a', 0o600);

  // The line end comes first: what a crash or a full disk left of an earlier line can't spoil this one.
  const append = async (entry) => {
    await file.appendFile(`\n${JSON.stringify(entry)}`);
    await file.datasync();
    remember(entry);
  };

  // One at a time, so that two copies of an event can't both be new.
  let last = Promise.resolve();
  const inTurn = (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };

  return {
    /** `recorded`, `repeat` (seen before) or `older` (this or a greater version of the document is held). */
    record: (event) =>
      inTurn(async () => {
        if (seen.has(event.delivery) || seen.has(event.subject)) return 'repeat';
        if (event.event === 'document.saved' && event.version <= held(event.key)) return 'older';
        // The end of editing brings its last version again: of use only when the save itself never came.
        const files = event.key !== undefined && event.version <= held(event.key) ? [] : event.files;
        await append({ ...event, files });
        return 'recorded';
      }),
    /** Nothing is left to do for the event. */
    settle: (delivery) => inTurn(() => append({ settled: delivery })),
    /** Events with work left, from this run and earlier ones. */
    pending: () => [...pending.values()],
    /** Returns the record of a delivery that still has work left. */
    entry: (delivery) => pending.get(delivery),
    /** The greatest version of the document that was announced. */
    held,
  };
}

function parseLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function orEmpty(error) {
  if (error.code === 'ENOENT') return '';
  throw error;
}
