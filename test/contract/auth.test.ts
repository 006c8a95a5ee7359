import { expect } from 'chai';
import { SignJWT } from 'jose';
import type { DocbuilderLimits } from '../../src/common/generated/wire.ts';
import { secret } from '../support/logs.ts';
import { errorOf, startService, type TestService } from '../support/service.ts';

const JWT_SECRET = secret('a-jwt-secret-of-at-least-32-characters');

async function jwt(claims: { exp: string | number; sub?: string }, key = JWT_SECRET): Promise<string> {
  const token = new SignJWT({ ...(claims.sub && { sub: claims.sub }) }).setProtectedHeader({ alg: 'HS256' });
  return secret(await token.setExpirationTime(claims.exp).sign(new TextEncoder().encode(key)));
}

describe('authentication', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ SVC_DOCBUILDER_JWT_SECRET: JWT_SECRET });
  });
  after(() => service.stop());

  const limits = (authorization?: string) =>
    fetch(`${service.url}/v1/limits`, authorization === undefined ? {} : { headers: { Authorization: authorization } });

  it('takes an API key or a JWT', async () => {
    expect((await limits(`Bearer ${service.key}`)).status).to.equal(200);
    expect((await limits(`Bearer ${await jwt({ exp: '1h', sub: 'portal' })}`)).status).to.equal(200);
  });

  it('says whether the key is missing or wrong, and when a token has expired', async () => {
    const missing = await limits();
    expect(missing.headers.get('www-authenticate')).to.match(/^Bearer/);
    expect(await errorOf(missing)).to.deep.include({
      status: 401,
      code: 'unauthorized',
      detail: { reason: 'missing' },
    });
    expect(await errorOf(await limits(`Bearer ${service.key}x`))).to.deep.include({ detail: { reason: 'invalid' } });
    expect(await errorOf(await limits(`Bearer ${await jwt({ exp: '-2m' })}`))).to.include({
      status: 401,
      code: 'token_expired',
    });
    expect((await limits(`Bearer ${await jwt({ exp: '-30s' })}`)).status).to.equal(200);
    expect(await errorOf(await limits(`Bearer ${await jwt({ exp: '25h' })}`))).to.include({ code: 'unauthorized' });
  });

  it('does not count what it refuses', async () => {
    for (let i = 0; i < 12; i += 1) {
      const response = await fetch(`${service.url}/v1/convert`, { method: 'POST' });
      expect(await errorOf(response)).to.include({ status: 401 });
      expect(response.headers.get('x-ratelimit-limit')).to.equal(null);
    }
    const { usage } = await service.read<DocbuilderLimits>('/v1/limits');
    expect(usage.minute.used).to.equal(0);
  });
});

describe('authentication without keys', () => {
  it('says that none are configured', async () => {
    const service = await startService({ SVC_DOCBUILDER_API_KEYS: '' });
    try {
      expect(
        await errorOf(await fetch(`${service.url}/v1/limits`, { headers: { Authorization: 'Bearer x' } })),
      ).to.deep.include({
        status: 401,
        detail: { reason: 'no_keys_configured' },
      });
    } finally {
      await service.stop();
    }
  });
});
