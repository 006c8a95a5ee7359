import { parentPort, workerData } from 'node:worker_threads';
import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { toReport } from '../../../src/common/threads.ts';
import { asTemplateError, fillTemplate } from './fill.ts';
import type { TemplateTask } from './template.ts';

const task = workerData as TemplateTask;
const filled = (): Promise<void> =>
  fillTemplate(task).catch((error) => {
    throw orDiskFull(asTemplateError(error, task.maxOutputBytes));
  });
parentPort?.postMessage(await toReport(filled));
