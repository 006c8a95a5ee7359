import { expect } from 'chai';
import { ApiClient } from '../../../../cmd/controller/k8s/client.ts';
import { until } from '../../../support/until.ts';
import { mirror } from './mirror.ts';
import { line, refuse, startStandIn } from './stand-in.ts';

const PATH = '/api/v1/namespaces/one/configmaps';

describe('k8s: reflector, in random trouble', () => {
  it('has everything in the end, and nothing twice, whatever the server does on the way', async function () {
    this.timeout(20_000);
    const server = await startStandIn();
    const client = new ApiClient(server.kubeConfig, { timeoutMs: 2_000 });
    const seen = mirror(client, { timings: { relistMs: [200, 600] } });
    await seen.reflector.synced;
    const faults = [
      () => server.cut(),
      () => server.endWatches(),
      () => server.compact(),
      () => server.bookmark(),
      () => server.send('{"type":'),
      () => server.send(line({ type: 'ERROR', object: { kind: 'Status', code: 410 } })),
      () => seen.reflector.restart(),
    ];
    const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
    server.fault = (request, response) => {
      const dice = Math.random();
      if (dice < 0.1) request.socket.resetAndDestroy();
      else if (dice < 0.2) refuse(response, pick([410, 429, 500, 503, 504]), 'Trouble');
      return dice < 0.2;
    };
    for (let step = 0; step < 400; step += 1) {
      const name = pick(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      if (Math.random() < 0.3) server.remove(PATH, name);
      else server.put(PATH, name);
      if (Math.random() < 0.1) pick(faults)();
      if (step % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    server.fault = undefined;
    const there = JSON.stringify(
      server
        .objects(PATH)
        .map(({ metadata: m }) => [m.name, m.resourceVersion])
        .sort(),
    );
    await until('the copy is as the server', () => JSON.stringify([...seen.copy].sort()) === there || undefined);
    expect(seen.misfits).to.deep.equal([]);
    seen.reflector.stop();
    client.close();
    await server.close();
  });
});
