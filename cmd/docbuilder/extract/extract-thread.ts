import { serveTasks } from '../source/threads.ts';
import { writeText } from './document.ts';
import { readMeta } from './meta.ts';

serveTasks({ text: writeText, meta: readMeta });
