import { startSlowClient } from './support/slow.ts';

// One client that holds connections until it is ended: `node test/e2e/front/slow-client.ts URL COUNT FROM`. Prints the
// status of each answer.

const [url = '', count = '', from = ''] = process.argv.slice(2);
const onAnswer = (answer: string): void => void process.stdout.write(`${answer.slice(9, 12)}\n`);
startSlowClient(new URL(url), { count: Number(count), from, againMs: 5_000, onAnswer });
