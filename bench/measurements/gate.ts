import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inRounds } from '../alternate.ts';
import { milliseconds, table, times } from '../format.ts';
import type { Bench, Outcome, Row } from '../measurement.ts';
import { askAll } from '../questions.ts';
import { stamped } from '../send.ts';
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
const DEMANDED_OF_NODE = 0.4;
const DEMANDED_OF_EXPRESS = 0.8;

/** Saves and the front's questions against the least that Node can do for them. */
export async function measureGate({ directory, options }: Bench): Promise<Outcome> {
  const bytes = randomBytes(SAVED_MB * MB);
  const gate = await startGate();
  const bare = await startBare(join(directory, 'bare'));
  try {
    const saves = await measureSaves(gate, bare, bytes, options.saveRounds);
    const questions = await measureQuestions(gate, bare, options.questions);
    return { rows: [...saves.rows, ...questions.rows], notes: `${saves.notes}\n\n${questions.notes}` };
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
    rows: [
      {
        what: `PutFile of ${SAVED_MB} MB against a bare Node server that receives, hashes, writes, flushes and renames the same bytes`,
        measured: times(ratio),
        demanded: `at most ${times(DEMANDED_SAVE)}`,
        holds: ratio <= DEMANDED_SAVE,
      },
    ],
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
  const rounds = Math.ceil(count / QUESTIONS_A_ROUND);
  const ask = (port: number) => () =>
    askAll(port, gate.questions, { count: QUESTIONS_A_ROUND, connections: CONNECTIONS });
  const against = (port: number) => inRounds({ warmUp: WARM_UP_ROUNDS, rounds }, ask(gate.port), ask(port));
  const [gates, bares] = await against(bare.port);
  const [others, routes] = await against(bare.expressPort);
  const row = (what: string, ratio: number, demanded: number): Row => ({
    what: `\`/svc/auth\` requests a second against ${what}`,
    measured: times(ratio),
    demanded: `at least ${times(demanded)}`,
    holds: ratio >= demanded,
  });
  const perSecond = (seconds: readonly number[]): string => String(Math.round(QUESTIONS_A_ROUND / median(seconds)));
  return {
    rows: [
      row('a bare `node:http` server', pairedRatio(bares, gates), DEMANDED_OF_NODE),
      row('the same route in express without the question', pairedRatio(routes, others), DEMANDED_OF_EXPRESS),
    ],
    notes: `The front's questions for a session that is let in, half of them at its page and half at its socket, over ${CONNECTIONS} kept connections; the bare server answers the same
requests with \`{}\`, and so does the route in express, which admits everybody. ${rounds} rounds of ${QUESTIONS_A_ROUND} requests to both of a pair; the ratio is the median of the rounds'.
Server and client have a core each.

${table(
  ['server', 'requests a second'],
  [
    ['gate', perSecond([...gates, ...others])],
    ['route in express without the question', perSecond(routes)],
    ['bare', perSecond(bares)],
  ],
)}`,
  };
}

interface Part {
  rows: Row[];
  notes: string;
}
