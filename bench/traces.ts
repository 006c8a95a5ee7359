import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './subjects/service.ts';

/** The resources of a service on the machine at one moment. */
export interface Traces {
  /** Its children and theirs, and other processes with one of its folders open as a sandbox; zombies too. */
  processes: number;
  /** Entries of its workers' folders and of its folder for temporary files. */
  folders: number;
  /** Open descriptors of the service process. */
  descriptors: number;
}

function readTraces({ pid, dataDir }: Service): Traces {
  const engines = list(join(dataDir, 'workers')).map((name) => join(dataDir, 'workers', name));
  return {
    processes: findProcesses(pid, basename(join(dataDir, '..'))).size,
    folders: engines.flatMap(list).length + list(join(dataDir, 'tmp')).length,
    descriptors: list(`/proc/${pid}/fd`).length,
  };
}

const CALM_MS = 1_000;
const SETTLE_MS = 20_000;

/** The traces of a service without load, once they no longer change. */
export async function calmTraces(service: Service): Promise<Traces> {
  await service.disconnect();
  let last = readTraces(service);
  let since = Date.now();
  for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline && Date.now() - since < CALM_MS; ) {
    await sleep(100);
    const now = readTraces(service);
    if (JSON.stringify(now) !== JSON.stringify(last)) since = Date.now();
    last = now;
  }
  return last;
}

/** The resources that there are now and were not before. */
export function leftOver(before: Traces, now: Traces): Traces {
  const more = (name: keyof Traces): number => Math.max(0, now[name] - before[name]);
  return { processes: more('processes'), folders: more('folders'), descriptors: more('descriptors') };
}

function findProcesses(service: number, mark: string): Set<number> {
  const all = list('/proc').map(Number).filter(Number.isInteger);
  const parents = new Map(all.map((pid) => [pid, readParent(pid)]));
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === service || descends(parents.get(pid)));
  const uses = (pid: number): boolean =>
    read(`/proc/${pid}/mountinfo`).includes(mark) || read(`/proc/${pid}/cmdline`).includes(mark);
  return new Set(all.filter((pid) => pid !== service && (descends(pid) || uses(pid))));
}

/** proc(5), stat, field 4; the name in field 2 may hold anything. */
function readParent(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || undefined;
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
