import type { EffectivePlan } from '../jobs/limits.ts';
import type { FlatTask } from '../script/build.ts';
import { writeScript } from '../script/write-script.ts';
import { serveTasks } from '../source/threads.ts';
import { type BodyKind, type Incoming, readBody, scriptIn } from './bodies.ts';

serveTasks({
  read: ({ kind, incoming, plan }: { kind: BodyKind; incoming: Incoming; plan: EffectivePlan }) =>
    readBody(kind, incoming, plan),
  write: (task: FlatTask) => writeScript(scriptIn(task.text), task),
});
