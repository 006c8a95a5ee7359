import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../../cmd/local/port.ts';
import type { Job } from '../../src/common/generated/wire.ts';
import type { ServiceProcess } from '../support/process.ts';
import { proxyConfig } from '../support/proxy-config.ts';
import { convert, get, jobThat, type Replicas, startShared } from '../support/replicas.ts';
import { type RunningNginx, startNginx } from './front/support/nginx.ts';

const CLIENTS = 4;

describe('a rollout of DocBuilder under load', function () {
  this.timeout(300_000);
  let replicas: Replicas;
  let front: RunningNginx;
  let ports: number[];
  /** The proxy's configuration, before these. */
  let proxy: (upstreams: readonly number[]) => string;
  before(async function () {
    replicas = await startShared(this);
    const [frontPort = 0, ...others] = await freePorts(5);
    ports = others;
    const prefix = await mkdtemp(join(tmpdir(), 'svc-rollout-'));
    // A kept connection that the reload closes just when a client uses it again would be a failure of none of them.
    const keepsNone = (config: string) => config.replace('http {', 'http {\n  keepalive_timeout 0;');
    proxy = (upstreams) => keepsNone(proxyConfig(frontPort, upstreams, prefix));
    front = await startNginx(proxy(ports), prefix, frontPort);
  });
  after(async () => {
    await front?.stop();
    await replicas?.dispose();
  });

  const start = (index: number) => replicas.start({ SVC_DOCBUILDER_LISTEN: `127.0.0.1:${ports[index]}` });
  const end = async ({ child, ended, log }: ServiceProcess) => {
    child.kill('SIGTERM');
    expect(await ended, log()).to.equal(0);
  };

  it('loses no request, no job and no result: conversions, polls and downloads', async () => {
    const old = await Promise.all([start(0), start(1)]);
    const load = startLoad(front.url.origin);
    await Promise.all([start(2), start(3)]);
    for (const [index, service] of old.entries()) {
      // As on a cluster, a pod that is to end gets no new requests.
      await front.reload(proxy(ports.slice(index + 1)));
      await end(service);
    }
    const { done, failed } = await load.stop();
    process.stderr.write(`      ${done} requests\n`);
    expect(failed).to.deep.equal([]);
    expect(done).to.be.above(20);
  });
});

/** Clients that convert, at once and as a job, poll and download until they are stopped. */
function startLoad(url: string) {
  let isOver = false;
  let done = 0;
  const failed: string[] = [];
  async function turn(client: number, round: number): Promise<void> {
    const text = Buffer.from(`Lượt ${client} ${round}\n`);
    const sync = await convert(url, text, { to: 'txt' });
    expect(sync.status, await sync.clone().text()).to.equal(200);
    expect(await sync.text()).to.include(`Lượt ${client} ${round}`);
    const accepted = await convert(url, text, { to: 'txt', async: 'true' });
    expect(accepted.status, await accepted.clone().text()).to.equal(202);
    const { id } = (await accepted.json()) as Job;
    const job = await jobThat(url, id, ({ status }) => status === 'done' || status === 'failed', 60_000);
    expect(job.error).to.equal(null);
    const file = await get(url, new URL(job.outputs[0]?.url ?? '').pathname);
    expect(await file.text()).to.include(`Lượt ${client} ${round}`);
    done += 3;
  }
  async function runClient(client: number): Promise<void> {
    for (let round = 0; !isOver; round++) {
      await turn(client, round).catch((error) => void failed.push(String(error)));
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, client) => runClient(client));
  return {
    async stop() {
      isOver = true;
      await Promise.all(clients);
      return { done, failed };
    },
  };
}
