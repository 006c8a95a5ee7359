import { type InspectOptions, inspect } from './inspect/inspect.ts';
import { transcode } from './inspect/text.ts';
import { serveTasks } from './threads.ts';

serveTasks({
  inspect: ({ path, options }: { path: string; options: InspectOptions }) => inspect(path, options),
  transcode,
});
