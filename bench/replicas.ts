import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { freePorts } from '../cmd/local/port.ts';
import { startNginx } from '../test/e2e/front/support/nginx.ts';
import { proxyConfig } from '../test/support/proxy-config.ts';
import { convert, startShared } from '../test/support/replicas.ts';
import { inRounds } from './alternate.ts';
import { letter } from './documents/text.ts';
import { median, pairedRatio } from './statistics.ts';

/**
 * Two DocBuilder processes of one worker each against one process of two, all behind nginx, each kind on a PostgreSQL and
 * an S3 server of its own. Prints conversions a second, by rounds that alternate.
 */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 12);
const JOBS = 24;
const CLIENTS = 4;
const context = {
  skip: () => {
    throw new Error('PostgreSQL or the S3 server is missing');
  },
} as unknown as Context;
const document = letter();

async function startKind(processes: number, workers: number) {
  const shared = await startShared(context);
  const [port = 0, ...ports] = await freePorts(1 + processes);
  for (const own of ports) {
    const listen = `127.0.0.1:${own}`;
    await shared.start({
      SVC_DOCBUILDER_LISTEN: listen,
      SVC_DOCBUILDER_WORKERS: String(workers),
      SVC_AUDIT_TARGET: 'off',
    });
  }
  const prefix = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const front = await startNginx(proxyConfig(port, ports, prefix), prefix, port);
  return { shared, front };
}

/** Returns conversions a second. */
async function measure(url: string): Promise<number> {
  let left = JOBS;
  const began = performance.now();
  async function client(): Promise<void> {
    while (left-- > 0) {
      const response = await convert(url, document, { to: 'pdf' });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return JOBS / ((performance.now() - began) / 1000);
}

const one = await startKind(1, 2);
const two = await startKind(2, 1);
try {
  const [ones, twos] = await inRounds(
    { warmUp: 1, rounds: ROUNDS },
    () => measure(one.front.url.origin),
    () => measure(two.front.url.origin),
  );
  const figures = { one: median(ones), two: median(twos), ratio: pairedRatio(twos, ones) };
  process.stdout.write(`${JSON.stringify({ rounds: ROUNDS, ...figures })}\n`);
} finally {
  for (const { shared, front } of [one, two]) {
    await front.stop();
    await shared.dispose();
  }
}
process.exit(0);
