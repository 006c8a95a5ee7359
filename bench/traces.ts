import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findDescendants, processIds, readProcess } from '../scripts/support/processes.ts';
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
  const uses = (pid: number): boolean =>
    ['mountinfo', 'cmdline'].some((name) => pid !== service && readProcess(pid, name).includes(mark));
  return new Set([...findDescendants(service), ...processIds().filter(uses)]);
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
