import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inRounds } from '../alternate.ts';
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
const DEMANDED_SAVE = 1;
/** Connections that a front keeps to the gate. */
const CONNECTIONS = 16;
/** Short, so that a neighbour who is busy for some seconds spoils few of them. */
const QUESTIONS_A_ROUND = 2_000;
const WARM_UP_ROUNDS = 2;
const DEMANDED_QUESTIONS = 0.6;

/** Saves and the front's questions against the least that Node can do for them. */
export async function measureGate({ directory, options }: Bench): Promise<Outcome> {
  const bytes = randomBytes(SAVED_MB * MB);
  const gate = await startGate();
  const bare = await startBare(join(directory, 'bare'));
  try {
    const saves = await measureSaves(gate, bare, bytes, options.saveRounds);
    const questions = await measureQuestions(gate, bare, options.questions);
    return { rows: [saves.row, questions.row], notes: `${saves.notes}\n\n${questions.notes}` };
  } finally {
    await Promise.all([gate.stop(), bare.stop()]);
  }
}

async function measureSaves(gate: GateSubject, bare: Bare, bytes: Buffer, rounds: number): Promise<Part> {
  const [saves, writes] = await inRounds(
    { warmUp: WARM_UP_SAVES, rounds },
    (round) => gate.put(stamped(bytes, 2 * round)),
    (round) => bare.put(stamped(bytes, 2 * round + 1)),
  );
  const ratio = pairedRatio(saves, writes);
  return {
    row: {
      what: `PutFile of ${SAVED_MB} MB against a bare Node server that receives, hashes, writes, flushes and renames the same bytes`,
      measured: times(ratio),
      demanded: `at most ${times(DEMANDED_SAVE)}`,
      holds: ratio <= DEMANDED_SAVE,
    },
    notes: `The 200 of a PutFile means that the file, its row and its callback are on disk. The bare server pipes the request through a SHA-256 into a file, flushes it,
renames it, and flushes the directory; it has no row and no callback. ${rounds} rounds, both in each, new bytes every time; the ratio is the median of the rounds'.

${table(
  ['of 10 MB', 'median'],
  [
    ['PutFile', milliseconds(median(saves))],
    ['bare server', milliseconds(median(writes))],
  ],
)}`,
  };
}

async function measureQuestions(gate: GateSubject, bare: Bare, count: number): Promise<Part> {
  const ports = { gate: gate.port, bare: bare.port };
  const ask = (name: keyof typeof ports, some: number): Promise<number> =>
    askAll(ports[name], gate.questions, { count: some, connections: CONNECTIONS });
  const rounds = Math.ceil(count / QUESTIONS_A_ROUND);
  const before = [gate.cpu(), bare.cpu()] as const;
  const [gates, bares] = await inRounds(
    { warmUp: WARM_UP_ROUNDS, rounds },
    () => ask('gate', QUESTIONS_A_ROUND),
    () => ask('bare', QUESTIONS_A_ROUND),
  );
  const ratio = pairedRatio(bares, gates);
  const asked = (WARM_UP_ROUNDS + rounds) * QUESTIONS_A_ROUND;
  const shown = (name: string, seconds: readonly number[], cpu: number): string[] => [
    name,
    String(Math.round(QUESTIONS_A_ROUND / median(seconds))),
    `${((cpu / asked) * 1_000_000).toFixed(1)} µs`,
  ];
  return {
    row: {
      what: '`/svc/auth` requests a second against a bare `node:http` server',
      measured: times(ratio),
      demanded: `at least ${times(DEMANDED_QUESTIONS)}`,
      holds: ratio >= DEMANDED_QUESTIONS,
    },
    notes: `The front's questions for a session that is let in, half of them at its page and half at its socket, over ${CONNECTIONS} kept connections; the bare server answers the same
requests with \`{}\`. ${rounds} rounds of ${QUESTIONS_A_ROUND} requests to each; the ratio is the median of the rounds'. Server and client have a core each. What a neighbour on
the host takes of a core is in the requests a second, and not in the CPU time.

${table(
  ['server', 'requests a second', 'CPU time of a request'],
  [shown('gate', gates, gate.cpu() - before[0]), shown('bare', bares, bare.cpu() - before[1])],
)}`,
  };
}

interface Part {
  row: Row;
  notes: string;
}
