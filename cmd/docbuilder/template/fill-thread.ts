import { serveTasks } from '../source/threads.ts';
import { asTemplateError, fillTemplate } from './fill.ts';
import type { TemplateTask } from './template.ts';

serveTasks({
  fill: (task: TemplateTask) =>
    fillTemplate(task).catch((error) => {
      throw asTemplateError(error, task.maxOutputBytes);
    }),
});
