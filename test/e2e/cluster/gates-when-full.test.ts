import { expect } from 'chai';
import type { EditorClient } from '../../editor/client.ts';
import { refusal } from '../../support/stack-steps.ts';
import { until } from '../../support/until.ts';
import { type Office, officeFor } from './support/office.ts';
import { type ClusterSessions, sessionsOf } from './support/sessions.ts';

const AN = { id: 'u1', name: 'An' };
const BINH = { id: 'u2', name: 'Bình' };

describe('on a cluster: gates when full', function () {
  this.timeout(180_000);
  let office: Office;
  let sessions: ClusterSessions;
  let client: EditorClient | undefined;

  before(async function () {
    office = await officeFor(this);
    sessions = await sessionsOf(office);
  });
  after(async () => {
    await client?.leave();
    await office?.patch({ gate: { connectionCap: null } });
    await office?.ready();
  });

  it('with one place, taken, the second views and is told why; nobody gets into the editor past the front', async () => {
    // Both were admitted when there was room. Of a document that somebody has open the page would still be shown.
    const late = await sessions.create({ key: 'full-late', user: BINH });
    const first = await sessions.create({ key: 'full', user: AN });
    const open = await sessions.open(first);
    client = open;
    await office.patch({ gate: { connectionCap: 1 } });
    await office.ready();
    // The place that was kept for the late one is given up after a minute.
    await until(
      'one is counted',
      async () => {
        const { limit, current, pending } = (await sessions.status()).connections;
        return limit === 1 && current === 1 && pending === 0;
      },
      100_000,
    );
    const second = await sessions.create({ key: 'full-2', user: BINH });
    expect(second).to.deep.include({
      mode: 'view',
      limited: true,
      limit: { code: 'connection_limit_reached', limit: 1, current: 1, pending: 0 },
    });
    const reader = await sessions.open(second);
    expect(reader.readonly()).to.equal(true);
    await reader.leave();

    const page = await refusal(sessions.open(late));
    expect(page).to.include({ stage: 'page', status: 429 });
    expect(page.body).to.match(/Đã đạt giới hạn chỉnh sửa/);
    for (const uri of ['25.04', '26.04'] as const) {
      expect(await refusal(sessions.open(late, { page: false, uri }))).to.include({ stage: 'socket', status: 403 });
    }
    await open.addLine('who has a place keeps it, also while the gate is started again');
    expect(await sessions.save(first, open)).to.be.above(0);
  });
});
