import { serveTasks } from '../../src/common/threads.ts';
import type { FlatTask } from './domain/build.ts';
import { orDiskFull } from './domain/disk-full.ts';
import type { EffectivePlan } from './domain/limits.ts';
import { type BodyKind, type Incoming, readBody } from './http/bodies.ts';
import { writeScript } from './write-script.ts';

/** Ended from outside: a thread is terminated. */
const never = new AbortController().signal;

serveTasks({
  read: ({ kind, incoming, plan }: { kind: BodyKind; incoming: Incoming; plan: EffectivePlan }) =>
    readBody(kind, incoming, plan),
  write: (task: FlatTask) =>
    writeScript(task, never).catch((error) => {
      throw orDiskFull(error);
    }),
});
