import { threadId } from 'node:worker_threads';
import { serveTasks } from '../../../cmd/docbuilder/source/threads.ts';
import { AppError } from '../../../src/common/errors.ts';

serveTasks({
  id: () => threadId,
  refuse: (detail: Record<string, unknown>) => {
    throw new AppError('bad_request', detail, { cause: new TypeError('content of a document') });
  },
  endless: (begun: Int32Array) => {
    Atomics.store(begun, 0, 1);
    Atomics.notify(begun, 0);
    for (;;);
  },
});
