import { readdirSync, readFileSync } from 'node:fs';

/** Ids of all processes. */
export function processIds(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** The content of `/proc/<pid>/<name>`; empty once the process has ended. */
export function readProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** Ids of all processes below one. What runs in pods of the tests' own cluster is none: it may still be up. */
export function findDescendants(parent: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of processIds()) {
    const stat = readProcess(pid, 'stat');
    if (stat.includes('(containerd-shim')) continue;
    // The name, which may hold anything, is in brackets.
    const [, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    children.set(Number(ppid), [...(children.get(Number(ppid)) ?? []), pid]);
  }
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(parent);
}
