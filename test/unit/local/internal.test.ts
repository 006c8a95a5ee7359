import { expect } from 'chai';
import { internalSide } from '../../../cmd/local/internal.ts';

describe('the internal side of the gate on a developer’s machine', () => {
  it('is for loopback alone unless told', () => {
    const own = { listen: '127.0.0.1:12345', front: '127.0.0.1:12345', wopiUrl: 'http://127.0.0.1:12345' };
    expect(internalSide({}, 12345)).to.deep.equal(own);
    expect(internalSide({ SVC_GATE_WOPI_URL: '', SVC_GATE_INTERNAL_LISTEN: '' }, 12345)).to.deep.equal(own);
  });

  it('is open at a fixed port for an editor that finds it by an address of its own', () => {
    const wopiUrl = 'http://host.docker.internal:8081';
    expect(internalSide({ SVC_GATE_WOPI_URL: wopiUrl }, 12345)).to.deep.equal({
      listen: '0.0.0.0:8081',
      front: '127.0.0.1:8081',
      wopiUrl,
    });
  });

  it('listens where it is told, and is found there', () => {
    expect(internalSide({ SVC_GATE_INTERNAL_LISTEN: '172.17.0.1:9001' }, 12345)).to.deep.equal({
      listen: '172.17.0.1:9001',
      front: '172.17.0.1:9001',
      wopiUrl: 'http://172.17.0.1:9001',
    });
    const both = { SVC_GATE_INTERNAL_LISTEN: '[::]:9001', SVC_GATE_WOPI_URL: 'http://dev.example:9001' };
    expect(internalSide(both, 12345)).to.deep.equal({
      listen: '[::]:9001',
      front: '127.0.0.1:9001',
      wopiUrl: 'http://dev.example:9001',
    });
  });
});
