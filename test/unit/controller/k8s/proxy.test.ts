import { expect } from 'chai';
import { proxyFor } from '../../../../cmd/controller/k8s/proxy.ts';

describe('the proxy that the environment names', () => {
  it('is told to be wrong', () => {
    expect(() => proxyFor(new URL('https://10.96.0.1'), { HTTPS_PROXY: 'proxy' })).to.throw('HTTPS_PROXY must be');
  });

  const HTTPS_PROXY = 'http://proxy.example:3128';
  for (const [host, except, leads] of [
    ['https://10.96.0.1', '', true],
    ['http://10.96.0.1', '', false],
    ['https://10.96.0.1', '10.96.0.0/12,.svc', false],
    ['https://10.96.0.1', '10.0.0.0/16', true],
    ['https://10.96.0.1', '10.96.0.1', false],
    ['https://[fd00::1]', 'fd00::/8', false],
    ['https://api.example', '.example', false],
    ['https://api.example', 'example', false],
    ['https://api.example', 'pi.example', true],
    ['https://api.example', 'API.example', false],
    ['https://api.example', '*', false],
    ['https://api.example', 'other, ,', true],
  ] as const) {
    it(`${leads ? 'leads' : 'does not lead'} to ${host} with NO_PROXY=${except}`, () => {
      const proxy = proxyFor(new URL(`${host}:6443`), { HTTPS_PROXY, NO_PROXY: except });
      expect(proxy?.host).to.equal(leads ? 'proxy.example:3128' : undefined);
    });
  }
});
