import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { serveTasks } from '../../../src/common/threads.ts';
import { type TextTask, writeText } from './document.ts';
import { type MetaTask, readMeta } from './meta.ts';

serveTasks({
  text: (task: TextTask) =>
    writeText(task).catch((error) => {
      throw orDiskFull(error);
    }),
  meta: (task: MetaTask) => readMeta(task),
});
