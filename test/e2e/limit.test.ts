import { copyFile, unlink } from 'node:fs/promises';
import { expect } from 'chai';
import type { GateLimits } from '../../src/common/generated/wire.ts';
import { useFolder } from '../support/folder.ts';
import { licensed } from '../support/license.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { changeMode, refusal } from '../support/stack-steps.ts';
import { until } from '../support/until.ts';

const AN = { id: 'u1', name: 'An' };
const BINH = { id: 'u2', name: 'Bình' };

describe('the limit, through the front', function () {
  this.timeout(60_000);
  let stack: Stack;
  const folder = useFolder();
  afterEach(() => stack.stop());

  it('the second session views and learns why; an editing socket gets 403, the page the limit page', async () => {
    stack = await startStack({ environment: { SVC_GATE_CONNECTION_CAP: '1' } });
    const first = await stack.create({ user: AN });
    const client = await stack.open(first);
    await until('it is counted', async () => (await stack.status()).connections.current === 1);
    const second = await stack.create({ user: BINH });
    expect(second).to.deep.include({
      mode: 'view',
      requested_mode: 'edit',
      limited: true,
      limit: { code: 'connection_limit_reached', limit: 1, current: 1, pending: 0 },
    });
    expect(second.message).to.match(/1 kết nối/);
    const reader = await stack.open(second);
    expect(reader.readonly()).to.equal(true);
    expect(await changeMode(stack, second, 'edit')).to.include({ mode: 'view', limited: true });

    // An editing session loses its place when it is away for longer than the place is kept and another one comes.
    await client.leave();
    await stack.pass(160_000);
    const third = await stack.create({ key: 'contract-2', user: BINH });
    expect(third.mode).to.equal('edit');
    const other = await stack.open(third);
    const late = await refusal(stack.open(first, { page: false, uri: '25.04' }));
    expect(late).to.include({ stage: 'socket', status: 403 });
    expect(await refusal(stack.open(first, { page: false, uri: '26.04' }))).to.include({ status: 403 });
    await other.addLine('who has a place keeps it');
    expect(await stack.save(third, other)).to.equal(1);
    await reader.leave();
    await stack.ask(second, '', { method: 'DELETE' });
    const page = await refusal(stack.open(first));
    expect(page).to.include({ stage: 'page', status: 429 });
    expect(page.body).to.match(/Đã đạt giới hạn chỉnh sửa/);
    expect((await stack.status()).connections).to.include({ limit: 1, limit_reached: true, enforcing: true });
  });

  it('sessions that are opened and given up at once get no more views than there are places', async () => {
    stack = await startStack({ environment: { SVC_GATE_CONNECTION_CAP: '2' } });
    await until('the limit is in force', async () => (await stack.status()).connections.enforcing || undefined);
    const editing: unknown[] = [];
    for (const giveUp of ['', '/mode', '', '/mode']) {
      const session = await stack.create({ user: AN });
      if (session.mode === 'edit') editing.push(await stack.open(session));
      if (giveUp === '') await stack.ask(session, '', { method: 'DELETE' });
      else await changeMode(stack, session, 'view');
    }
    expect(editing).to.have.length(2);
  });

  it('a page that is loaded again keeps its place when all are taken: given up and asked for at once', async () => {
    stack = await startStack({ process: true, environment: { SVC_GATE_CONNECTION_CAP: '1' } });
    const first = await stack.create({ user: AN });
    const client = await stack.open(first);
    await until('it is counted', async () => (await stack.status()).connections.current === 1, 20_000);
    const [again] = await Promise.all([
      stack.ask(first, '', { method: 'DELETE' }).then(() => stack.create({ user: AN })),
      client.leave(),
    ]);
    expect(again).to.include({ mode: 'edit', limited: false });
    expect((await stack.create({ user: BINH })).mode).to.equal('view');
  });

  it('a licence raises the limit as soon as its file is there, and its loss does not lower it at once', async () => {
    const licence = await licensed(folder.path, { conns: 2000 });
    const later = folder.at('later.jwt');
    stack = await startStack({ environment: { ...licence, SVC_LICENSE_FILE: later } });
    const limits = async () => (await (await stack.call('/svc/limits')).json()) as GateLimits;
    expect((await limits()).connections).to.include({ limit: 50, plan_limit: 50, cap: null });
    await copyFile(licence['SVC_LICENSE_FILE'] ?? '', later);
    await until('it counts', async () => (await limits()).connections.limit === 2000);
    expect(await limits()).to.deep.include({ edition: 'enterprise' });
    expect((await stack.status()).license.state).to.equal('valid');
    await unlink(later);
    await until('it is missed', async () => (await stack.status()).license.state === 'grace');
    expect((await stack.status()).connections.limit).to.equal(2000);
  });
});
