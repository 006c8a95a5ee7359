import { expect } from 'chai';
import { createLinks } from '../../cmd/gate/domain/links.ts';
import { readError } from '../support/gate-embed.ts';
import { secret } from '../support/logs.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const LINK_SECRET = secret('a-link-secret-of-the-operator');
const MB = 1024 * 1024;

describe('what the operator set for the gate', function () {
  this.timeout(60_000);
  let stack: Stack;
  before(async () => {
    stack = await startStack({
      environment: {
        SVC_BASE_URL: 'https://office.example',
        SVC_EMBED_LINK_SECRET: LINK_SECRET,
        SVC_EMBED_MAX_FILE_MB: '1',
        SVC_EMBED_SESSION_TTL_MINUTES: '5',
        SVC_EMBED_RETAIN_HOURS: '2',
      },
    });
  });
  after(() => stack.stop());

  it('holds for sessions, saves and links', async () => {
    const before = Date.now();
    const session = await stack.create();
    const [expires, ttl] = [Date.parse(session.expires_at), 5 * 60_000];
    expect(expires).to.be.within(before + ttl, Date.now() + ttl);
    expect(session.form.access_token_ttl).to.equal(expires);

    const { download_url } = await stack.state(session);
    const { origin, pathname, search, searchParams } = new URL(download_url);
    expect(origin).to.equal('https://office.example');
    expect(Number(searchParams.get('exp'))).to.be.closeTo(Date.now() / 1000 + 2 * 3600, 60);
    expect((await stack.call(`${pathname}${search}`)).status).to.equal(200);
    const links = createLinks({ secret: LINK_SECRET, hours: 1, clock: Date.now });
    expect((await fetch(links.sign(stack.url, session.doc_id, 0))).status).to.equal(200);
    const others = createLinks({ secret: 'another-link-secret', hours: 1, clock: Date.now });
    expect((await fetch(others.sign(stack.url, session.doc_id, 0))).status).to.equal(403);

    const wopi = `${stack.environment['SVC_GATE_WOPI_URL']}/svc/wopi/files/${session.doc_id}/contents`;
    const put = (bytes: number) =>
      fetch(`${wopi}?access_token=${session.form.access_token}`, {
        ...{ method: 'POST', headers: { 'X-WOPI-Override': 'PUT' }, body: Buffer.alloc(bytes, 'x') },
      });
    expect(await readError(await put(MB + 1))).to.deep.include({ code: 'file_too_large', detail: { limit_mb: 1 } });
    expect((await put(MB)).status).to.equal(200);
    // It reads the disk once a second.
    const embed = await until('the session is counted', async () => {
      const { embed: now } = await stack.status();
      return now.sessions === 1 ? now : undefined;
    });
    expect(embed).to.include({ open_documents: 1, callback_signing: true });
    const limits = (await (await stack.call('/svc/limits')).json()) as { editor_embed: object };
    expect(limits.editor_embed).to.deep.equal({
      ...{ enabled: true, save_callback: true },
      ...{ max_file_mb: 1, session_ttl_minutes: 5 },
    });
  });
});
