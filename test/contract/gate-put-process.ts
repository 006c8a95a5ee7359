import { createCallbackPoster } from '../../cmd/gate/outbound/callbacks.ts';
import { parseAllowList } from '../../src/common/net/allow-list.ts';
import { createOutbound } from '../../src/common/net/outbound.ts';
import { MB, savesBench, serveWopi } from '../support/gate-saves.ts';
import { testLogger } from '../support/logs.ts';

/**
 * The real pieces of the gate that take saves and send callbacks, in a process that can be killed, with the data folder of
 * its argument and the store of its environment.
 */
const [folder = ''] = process.argv.slice(2);
const bench = await savesBench({
  folder,
  environment: process.env,
  maxBytes: 20 * MB,
  clock: Date.now,
  schedule: [0, 30, 60],
  poster: createCallbackPoster({
    outbound: createOutbound({ allow: parseAllowList('127.0.0.0/8').list, userAgent: 'SVC-Gate/1.0' }),
    secret: '',
    clock: Date.now,
    log: testLogger(),
    timeoutMs: 150,
  }),
});
const { url } = await serveWopi(bench, 20 * MB);
bench.outbox.wake();
bench.cleaning.start();
process.stdout.write(`${url}\n`);
