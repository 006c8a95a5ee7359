import { expect } from 'chai';
import { parseNeighbours, toAllowHosts, toOrigins } from '../../../cmd/local/neighbours.ts';
import { NotPossible } from '../../../cmd/local/not-possible.ts';

describe('the neighbours of the service on a developer’s machine', () => {
  it('are none but the service itself unless told', () => {
    const none = parseNeighbours();
    expect(toOrigins(none, 8080)).to.equal('http://localhost:8080,http://127.0.0.1:8080');
    expect(toAllowHosts(none, 8080)).to.equal('localhost:8080,127.0.0.1:8080');
    expect(toOrigins(none, 80), 'as browsers send it').to.equal('http://localhost,http://127.0.0.1');
  });

  it('are the ports that the developer names, and other origins and hosts', () => {
    const named = parseNeighbours('8000, 8090,', 'https://portal.example', '10.0.0.7:80,portal.internal');
    expect(toOrigins(named, 8080).split(',').slice(2)).to.deep.equal([
      ...['http://localhost:8000', 'http://127.0.0.1:8000', 'http://localhost:8090', 'http://127.0.0.1:8090'],
      'https://portal.example',
    ]);
    expect(toAllowHosts(named, 8080).split(',').slice(2)).to.deep.equal([
      ...['localhost:8000', '127.0.0.1:8000', 'localhost:8090', '127.0.0.1:8090', '10.0.0.7:80', 'portal.internal'],
    ]);
  });

  for (const ports of ['web', '0', '65536', '8000-8010', '8000;8090', '*']) {
    it(`have no ports ${ports}`, () => {
      expect(() => parseNeighbours(ports)).to.throw(NotPossible, `SVC_LOCAL_PORTS=${ports} `);
    });
  }
});
