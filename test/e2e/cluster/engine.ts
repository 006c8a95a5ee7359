import { execFileSync } from 'node:child_process';

/** Whether a Docker engine answers. */
export function hasEngine(): boolean {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
