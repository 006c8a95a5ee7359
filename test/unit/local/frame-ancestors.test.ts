import { expect } from 'chai';
import { isAllowedAncestor } from '../../../cmd/local/frame-ancestors.ts';

const OWN = 'http://localhost:8080';

describe('frame-ancestors', () => {
  for (const [source, origin, allowed] of [
    ['localhost:*', 'http://localhost:8000', true],
    ['localhost:*', 'http://127.0.0.1:8000', false],
    ['localhost', 'http://localhost', true],
    ['localhost', 'http://localhost:8000', false],
    ['LOCALHOST:8000', 'http://localhost:8000', true],
    ['localhost:8000', 'https://localhost:8000', true],
    ['https://portal.example', 'http://portal.example', false],
    ['https://portal.example', 'https://portal.example', true],
    ['https://portal.example/', 'https://portal.example:443', true],
    ['*.example', 'https://portal.example', true],
    ['*.example', 'https://example', false],
    ['*', 'https://portal.example:8443', true],
    ['*:*', 'https://portal.example:8443', true],
    ["'self'", 'http://localhost:8080', true],
    ["'self'", 'http://localhost:8000', false],
    ["'none'", 'http://localhost:8080', false],
    ['[::1]:*', 'http://[::1]:8000', true],
  ] as const) {
    it(`${source} ${allowed ? 'allows' : 'refuses'} ${origin}`, () => {
      expect(isAllowedAncestor(origin, ['other.example', source], OWN)).to.equal(allowed);
    });
  }
});
