import { serveTasks } from '../source/threads.ts';
import { fillTemplate } from './fill.ts';

serveTasks({ fill: fillTemplate });
