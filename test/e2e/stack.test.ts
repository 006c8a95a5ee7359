import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { verifyCallback } from '../../src/common/crypto/signature.ts';
import type { EmbedSession, EmbedUser } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { arrived, download, readLines } from '../support/stack-steps.ts';
import { ORIGINAL } from '../support/surroundings.ts';
import { until } from '../support/until.ts';

const AN: EmbedUser = { id: 'u1', name: 'An' };
const BINH: EmbedUser = { id: 'u2', name: 'Bình' };
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('editing through the front', function () {
  this.timeout(60_000);
  let stack: Stack;
  afterEach(() => stack.stop());

  const users = (session: EmbedSession, ...ids: string[]) =>
    until(`users ${ids}`, async () => {
      const present = (await stack.state(session)).users;
      return present
        .map(({ id }) => id)
        .sort()
        .join() === ids.join()
        ? present
        : undefined;
    });

  describe('with room for everybody', () => {
    beforeEach(async () => {
      stack = await startStack();
    });

    it('a document is opened, changed, saved, told of and downloaded', async () => {
      const session = await stack.create({ user: AN });
      expect(validator('embed-session.json')(session)).to.deep.include({ ok: true });
      expect(session).to.include({ mode: 'edit', limited: false, version: 0 });
      const client = await stack.open(session);
      expect(client.readonly()).to.equal(false);
      await client.addLine('Điều 2. Mới');
      expect(await stack.save(session, client)).to.equal(1);

      const state = await stack.state(session);
      expect(validator('embed-session-state.json')(state)).to.deep.include({ ok: true });
      const bytes = await download(state.download_url);
      expect(state.download_url.startsWith(`${stack.url}/svc/embed/files/`), state.download_url).to.equal(true);
      expect(readLines(bytes).at(-1)).to.equal('Điều 2. Mới');
      expect(state).to.include({ version: 1, size: bytes.length, sha256: sha256(bytes) });

      const { headers, raw, body } = await arrived(stack, 'saved', 1);
      const signature = String(headers['x-svc-signature']);
      const timestamp = String(headers['x-svc-timestamp']);
      expect(verifyCallback(stack.callbackSecret, { timestamp, signature }, raw)).to.equal(true);
      expect(validator('document-callback.json')(body)).to.deep.include({ ok: true });
      expect(headers).to.include({ 'x-svc-event': 'document.saved', 'user-agent': 'SVC-Gate/1.0' });
      expect(body).to.deep.include({ key: 'contract-1', title: 'Hợp đồng.docx', fileType: 'docx', savedBy: AN });
      expect(body).to.include({ sha256: sha256(bytes), size: bytes.length, autosave: false, final: false });
      expect(await download(body.url ?? '')).to.deep.equal(bytes);
      await client.leave();
    });

    it('two people write one document; each of them is told of; after the last has left it is saved and closed', async () => {
      const an = await stack.create({ user: AN });
      const binh = await stack.create({ user: BINH });
      expect(binh.doc_id).to.equal(an.doc_id);
      expect(
        stack.portal.requests.map(({ url }) => url),
        'fetched once, with its query',
      ).to.deep.equal(['/a.docx?t=1']);
      const [one, two] = [await stack.open(an), await stack.open(binh, { uri: '26.04' })];
      await one.addLine('của An');
      await until('the other sees it', () => two.lines().includes('của An'));
      expect(await users(an, 'u1', 'u2')).to.have.deep.members([AN, BINH]);
      await stack.save(an, one);
      expect((await arrived(stack, 'saved', 1)).body.users).to.have.deep.members([AN, BINH]);
      await one.leave();
      await users(binh, 'u2');

      await two.addLine('của Bình');
      await until('modified', async () => (await stack.state(binh)).modified || undefined);
      await two.leave();
      const final = (await arrived(stack, 'saved', 2)).body;
      expect(final).to.deep.include({ final: true, savedBy: BINH, modifiedByUser: true });
      expect(readLines(await download(final.url ?? ''))).to.include.members(['của An', 'của Bình']);
      await users(binh);
      expect(stack.receiver.arrived.map(({ body }) => body.status)).to.deep.equal(['saved', 'saved']);
      await stack.pass(70_000);
      const { body } = await arrived(stack, 'closed', 2);
      expect(body).to.deep.include({ users: [], savedBy: null, sha256: final.sha256 });
      expect(validator('document-callback.json')(body)).to.deep.include({ ok: true });
      expect((await stack.status()).embed.open_documents).to.equal(0);
    });

    it('who only looked leaves nothing behind but the closing', async () => {
      const session = await stack.create({ mode: 'view' });
      const client = await stack.open(session);
      expect(client.readonly()).to.equal(true);
      await users(session, 'u1');
      expect((await stack.status()).connections).to.include({ current: 0, pending: 0, readonly: 1 });
      await client.leave();
      await users(session);
      await stack.pass(70_000);
      expect((await arrived(stack, 'closed', 0)).body.url).to.equal(null);
      expect(stack.receiver.arrived).to.have.length(1);
      expect(await download((await stack.state(session)).download_url)).to.deep.equal(ORIGINAL);
    });
  });

  it('a callback that waited for the one before it tells who is there when it goes out', async () => {
    let attempts = 0;
    stack = await startStack({ receives: () => (++attempts === 1 ? 500 : 204) });
    const [an, binh] = [await stack.create({ user: AN }), await stack.create({ user: BINH })];
    const [one, two] = [await stack.open(an), await stack.open(binh)];
    expect(await users(an, 'u1', 'u2')).to.have.length(2);
    await one.addLine('một');
    await stack.save(an, one);
    await until('the first is refused', () => attempts === 1);
    await one.addLine('hai');
    await stack.save(an, one);
    await two.leave();
    await users(an, 'u1');
    await stack.pass(20_000);
    const late = await arrived(stack, 'saved', 2);
    expect(late.body.users).to.deep.equal([AN]);
    const [first, again] = stack.receiver.arrived;
    expect(first?.body.users).to.have.deep.members([AN, BINH]);
    expect(again?.headers['x-svc-delivery']).to.equal(first?.headers['x-svc-delivery']);
    expect(again?.body).to.include({ status: 'saved', version: 1, sha256: first?.body.sha256 });
    expect(again?.body.users).to.deep.equal([AN]);
    expect(Date.parse(again?.body.timestamp ?? '')).to.be.greaterThan(Date.parse(first?.body.timestamp ?? ''));
  });

  it('callbacks that waited while the gate was away for longer than anything is kept lead to what they tell of', async () => {
    let taken = false;
    const environment = { SVC_EMBED_RETAIN_HOURS: '1' };
    stack = await startStack({ environment, receives: () => (taken ? 204 : null) });
    const session = await stack.create();
    const client = await stack.open(session);
    await client.addLine('còn đây');
    await stack.save(session, client);
    const { sha256: saved } = await stack.state(session);
    await client.leave();
    await stack.pass(160_000);
    await until('it is closed', async () => (await stack.status()).embed.open_documents === 0);
    expect((await stack.status()).embed.callbacks.pending).to.equal(2);
    await stack.gate.stop();
    taken = true;
    await stack.restart(2 * 3_600_000);
    for (const status of ['saved', 'closed'] as const) {
      const { body } = await until(status, () =>
        stack.receiver.arrived.find(({ body: sent, answer }) => sent.status === status && answer === 204),
      );
      expect(sha256(await download(body.url ?? ''))).to.equal(saved);
    }
  });
});
