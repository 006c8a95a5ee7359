import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { serveTasks } from '../../../src/common/threads.ts';
import { type InspectOptions, inspect } from './inspect/inspect.ts';
import { type TranscodeTask, transcode } from './inspect/text.ts';

serveTasks({
  inspect: ({ path, options }: { path: string; options: InspectOptions }) => inspect(path, options),
  transcode: (task: TranscodeTask) =>
    transcode(task).catch((error) => {
      throw orDiskFull(error);
    }),
});
