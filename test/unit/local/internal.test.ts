import { expect } from 'chai';
import { internalSide } from '../../../cmd/local/internal.ts';

describe('the internal side of the gate on a developer’s machine', () => {
  const [ANY, DEV] = ['http://host.docker.internal:8081', 'http://dev.example:9001'];
  const own = ['127.0.0.1:12345', '127.0.0.1:12345', 'http://127.0.0.1:12345'];
  for (const [what, wopiUrl, internal, expected] of [
    ['is for loopback alone unless told', undefined, undefined, own],
    ['is so where it is told nothing', '', '', own],
    ['is open at a fixed port for an editor that finds it', ANY, undefined, ['0.0.0.0:8081', '127.0.0.1:8081', ANY]],
    [
      'listens where it is told, and is found there',
      undefined,
      '172.17.0.1:9001',
      ['172.17.0.1:9001', '172.17.0.1:9001', 'http://172.17.0.1:9001'],
    ],
    ['may be told both', DEV, '[::]:9001', ['[::]:9001', '127.0.0.1:9001', DEV]],
  ] as const) {
    it(what, () => {
      const side = internalSide({ SVC_GATE_WOPI_URL: wopiUrl, SVC_GATE_INTERNAL_LISTEN: internal }, 12345);
      expect([side.listen, side.front, side.wopiUrl]).to.deep.equal(expected);
    });
  }
});
