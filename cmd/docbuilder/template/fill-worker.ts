import { parentPort, workerData } from 'node:worker_threads';
import { reportOf } from '../../../src/common/threads.ts';
import { orDiskFull } from '../domain/disk-full.ts';
import type { TemplateTask } from '../domain/template.ts';
import { asTemplateError, fillTemplate } from './fill.ts';

const task = workerData as TemplateTask;
const filled = (): Promise<void> =>
  fillTemplate(task).catch((error) => {
    throw orDiskFull(asTemplateError(error, task.maxOutputBytes));
  });
parentPort?.postMessage(await reportOf(filled));
