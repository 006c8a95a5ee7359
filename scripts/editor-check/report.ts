import { median } from '../../bench/statistics.ts';
import type { Outcome } from './day.ts';

const HEAD = ['day', 'what was done', 'rounds', 'edits lost', 'save() works after', 'events of the page', 'verdict'];
/** Events of every day: they say nothing about this one. */
const USUAL = new Set(['onModified', 'onReady', 'onSaved']);

/** A Markdown table of all days, or one with spaces for a terminal. */
export function report(outcomes: readonly Outcome[], markdown: boolean): string {
  const rows = outcomes.map(toRow);
  return markdown ? markdownTable(rows) : plainTable(rows);
}

function toRow({ day, tally, verdict, reasons }: Outcome): string[] {
  const { rounds, typed, lost, back, seen, notes } = tally;
  const played = verdict !== 'left out';
  return [
    day.name,
    day.about,
    played ? String(rounds) : '',
    played && typed > 0 ? `${lost.length} of ${typed}` : '',
    times(back),
    [...seen].filter((name) => !USUAL.has(name)).join(', '),
    [verdict, ...reasons, ...notes].filter(Boolean).join('; '),
  ];
}

function times(back: readonly (number | undefined)[]): string {
  const there = back.filter((each) => each !== undefined);
  const never = back.length - there.length;
  const found = there.length === 0 ? [] : [`${median(there).toFixed(1)} s, at most ${Math.max(...there).toFixed(1)} s`];
  return [...found, ...(never > 0 ? [`never: ${never}`] : [])].join('; ');
}

function markdownTable(rows: readonly string[][]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(HEAD), line(HEAD.map(() => '---')), ...rows.map(line)].join('\n');
}

function plainTable(rows: readonly string[][]): string {
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  return all
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
