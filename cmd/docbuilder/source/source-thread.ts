import { serveTasks } from '../../../src/common/threads.ts';
import { type InspectOptions, inspect } from './inspect/inspect.ts';
import { transcode } from './inspect/text.ts';

serveTasks({
  inspect: ({ path, options }: { path: string; options: InspectOptions }) => inspect(path, options),
  transcode,
});
