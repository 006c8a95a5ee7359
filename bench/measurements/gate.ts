import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { alternate, inTurn } from '../alternate.ts';
import { milliseconds, table, times } from '../format.ts';
import type { Bench, Outcome, Row } from '../measurement.ts';
import { askAll } from '../questions.ts';
import { stamped } from '../stamp.ts';
import { median, pairedRatio } from '../statistics.ts';
import { type Bare, startBare } from '../subjects/bare.ts';
import { type GateSubject, startGate } from '../subjects/gate.ts';

const MB = 1024 * 1024;
const SAVED_MB = 10;
const WARM_UP_SAVES = 5;
const DEMANDED_SAVE = 1.5;
/** Connections that a front keeps to the gate. */
const CONNECTIONS = 16;
const WARM_UP_QUESTIONS = 4_000;
const BLOCKS = 8;
const DEMANDED_QUESTIONS = 0.6;

/** Saves and the front's questions against the least that Node can do for them. */
export async function measureGate({ directory, options }: Bench): Promise<Outcome> {
  const content = join(directory, 'saved');
  const bytes = randomBytes(SAVED_MB * MB);
  await writeFile(content, bytes);
  const gate = await startGate();
  const bare = await startBare(join(directory, 'bare'), content);
  try {
    const saves = await measureSaves(gate, bare, bytes, options.saveRounds);
    const questions = await measureQuestions(gate, bare, options.questions);
    return { rows: [saves.row, questions.row], notes: `${saves.notes}\n\n${questions.notes}` };
  } finally {
    await Promise.all([gate.stop(), bare.stop()]);
  }
}

async function measureSaves(gate: GateSubject, bare: Bare, bytes: Buffer, rounds: number): Promise<Part> {
  const saves: number[] = [];
  const writes: number[] = [];
  for (let round = 0; round < WARM_UP_SAVES + rounds; round++) {
    const [save, write] = await inTurn(
      round,
      () => gate.put(stamped(bytes, round)),
      () => bare.write(round),
    );
    if (round < WARM_UP_SAVES) continue;
    saves.push(save);
    writes.push(write);
  }
  const ratio = pairedRatio(saves, writes);
  return {
    row: {
      what: `PutFile of ${SAVED_MB} MB against a bare write, fsync and rename of the same bytes`,
      measured: times(ratio),
      demanded: `at most ${times(DEMANDED_SAVE)}`,
      holds: ratio <= DEMANDED_SAVE,
    },
    notes: `A PutFile goes over HTTP, and its 200 means that the file, its row and its callback are on disk; the bare process has the bytes in its memory, writes them into
a file, flushes it, renames it, and flushes the directory. ${rounds} rounds, both in each, new bytes every time; the ratio is the median of the rounds'.

${table(
  ['of 10 MB', 'median'],
  [
    ['PutFile', milliseconds(median(saves))],
    ['bare write', milliseconds(median(writes))],
  ],
)}`,
  };
}

async function measureQuestions(gate: GateSubject, bare: Bare, count: number): Promise<Part> {
  const ports = { gate: gate.port, bare: bare.port };
  const ask = (name: keyof typeof ports, some: number): Promise<number> =>
    askAll(ports[name], gate.questions, { count: some, connections: CONNECTIONS });
  for (const name of ['gate', 'bare'] as const) await ask(name, WARM_UP_QUESTIONS);
  const runs = await alternate(['gate', 'bare'], { jobs: count, blocks: BLOCKS }, async (name, start, end) => ({
    samples: [],
    seconds: await ask(name, end - start),
  }));
  const ratio = runs.bare.seconds / runs.gate.seconds;
  const shown = (name: string, seconds: number): string[] => [name, String(Math.round(count / seconds))];
  return {
    row: {
      what: '`/svc/auth` requests a second against a bare `node:http` server',
      measured: times(ratio),
      demanded: `at least ${times(DEMANDED_QUESTIONS)}`,
      holds: ratio >= DEMANDED_QUESTIONS,
    },
    notes: `The front's questions for a session that is let in, half of them at its page and half at its socket, over ${CONNECTIONS} kept connections; the bare server answers the same
requests with \`{}\`. ${count} requests to each, in ${BLOCKS} blocks that alternate. Server and client have a core each.

${table(['server', 'requests a second'], [shown('gate', runs.gate.seconds), shown('bare', runs.bare.seconds)])}`,
  };
}

interface Part {
  row: Row;
  notes: string;
}
