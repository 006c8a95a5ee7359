import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
/** What the kubelet asks of the group that all pods are in. */
const CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids'];

/** Makes a control group for all pods, in each hierarchy that the machine has. */
export async function makeControlGroup(name: string): Promise<void> {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) {
    for (const controller of CONTROLLERS) {
      // One that the machine does not have.
      await writeFile(join(ROOT, 'cgroup.subtree_control'), `+${controller}`).catch(() => undefined);
    }
  }
  for (const hierarchy of await hierarchies()) await mkdir(join(hierarchy, name), { recursive: true });
}

/** Removes control groups whose name starts so; their processes must have ended. */
export async function removeControlGroups(prefix: string): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    for (const entry of await readdir(hierarchy)) {
      if (entry.startsWith(prefix)) await removeGroup(join(hierarchy, entry));
    }
  }
}

async function removeGroup(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeGroup(join(folder, entry.name));
  }
  await rmdir(folder);
}

/** Folders of the version 1 hierarchies, or the one of version 2. */
async function hierarchies(): Promise<string[]> {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) return [ROOT];
  const entries = await readdir(ROOT, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(ROOT, name));
}
