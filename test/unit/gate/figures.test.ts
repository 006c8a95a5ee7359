import { expect } from 'chai';
import { Counting } from '../../../cmd/gate/domain/counting.ts';
import { connectionLimit, gateLimits } from '../../../cmd/gate/domain/limits.ts';
import type { NewDelivery } from '../../../cmd/gate/domain/model.ts';
import type { Rows, RowsReader } from '../../../cmd/gate/domain/ports.ts';
import { createStatus } from '../../../cmd/gate/domain/status.ts';
import { createRows } from '../../../cmd/gate/store/rows.ts';
import { type LicenseState, NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { validator } from '../../../src/common/schema.ts';
import { documentRecord, sessionRecord } from '../../support/gate-records.ts';

const embed = { enabled: true, maxFileMb: 100, sessionTtlMinutes: 720 };
const licence = (conns: number, features: string[] = ['api_full'], state: 'valid' | 'grace' | 'expired' = 'valid') =>
  ({
    state,
    graceDaysLeft: state === 'grace' ? 3 : null,
    claims: { sub: 's', conns, features, issuedAt: 0, expiresAt: 1 },
    problem: null,
  }) satisfies LicenseState;

describe('the limits of the gate', () => {
  const check = validator('gate-limits.json');

  it('are 50 connections in Community, and exactly those of the licence in Enterprise, be they fewer', () => {
    expect(connectionLimit(NO_LICENSE, undefined)).to.equal(50);
    for (const conns of [1, 49, 50, 200]) expect(connectionLimit(licence(conns), undefined)).to.equal(conns);
    expect(connectionLimit(licence(20, [], 'grace'), undefined)).to.equal(20);
    expect(connectionLimit(licence(200, [], 'expired'), undefined)).to.equal(50);
  });

  it('are lowered by the cap, never raised', () => {
    for (const [cap, limit] of [
      [0, 0],
      [20, 20],
      [50, 50],
      [51, 50],
      [undefined, 50],
    ] as const) {
      const { connections } = gateLimits(NO_LICENSE, { connectionCap: cap, embed });
      expect(connections).to.deep.equal({
        limit,
        plan_limit: 50,
        cap: limit < 50 ? limit : null,
        min_per_order: 50,
      });
    }
  });

  it('are shown as the contract has them', () => {
    const community = gateLimits(NO_LICENSE, { connectionCap: undefined, embed });
    const enterprise = gateLimits(licence(200, ['api_full', 'whitelabel']), { connectionCap: undefined, embed });
    for (const limits of [community, enterprise]) expect(check(limits)).to.deep.include({ ok: true });
    expect(community).to.deep.include({ edition: 'community', whitelabel: false, features: [] });
    expect(community.docbuilder).to.include({ parallel_jobs: 1, rate_per_minute: 10, callback: false });
    expect(community.docbuilder.allowed_endpoints).to.not.include('POST /v1/template/render');
    expect(enterprise).to.deep.include({ edition: 'enterprise', whitelabel: true, whitelabel_note: null });
    expect(enterprise.docbuilder).to.include({ parallel_jobs: null, rate_per_minute: 240, rate_per_day: null });
    for (const enabled of [true, false]) {
      const limits = gateLimits(NO_LICENSE, { connectionCap: undefined, embed: { ...embed, enabled } });
      const figures = { max_file_mb: 100, session_ttl_minutes: 720 };
      expect(limits.editor_embed).to.deep.equal({ enabled, save_callback: enabled, ...figures });
    }
    expect(community.whitelabel_note).to.match(/Enterprise/);
    expect(community.counting).to.deep.equal({
      sample_interval_seconds: 10,
      peak_window_seconds: 300,
      reconnect_grace_seconds: 120,
    });
  });
});

describe('the status of the gate', () => {
  const delivery: NewDelivery = {
    delivery: '00000000-0000-4000-8000-000000000001',
    docId: 'doc_1',
    key: 'contract-of-a-customer',
    event: 'document.saved',
    version: 1,
    url: 'https://portal.example/',
    body: '{}',
    state: 'given_up',
    attempts: 3,
    nextAttemptAt: 5,
    lastStatus: 500,
    endedAt: 1000,
  };

  function start(rows: Rows) {
    const state = { now: 1_000_000 };
    const counting = new Counting({ limit: () => 50, clock: () => state.now });
    const status = createStatus({
      rows,
      editor: { state: () => 'ok' },
      figures: async () => counting.figures(),
      license: () => licence(9, [], 'grace'),
      unsaved: { list: async () => [] },
      callbackSigning: true,
      clock: () => state.now,
    });
    return { state, counting, status };
  }

  it('follows its schema, and lists callbacks that were given up', async () => {
    const rows = await createRows(':memory:');
    const { counting, status, state } = start(rows);
    await rows.transact(async (tx) => {
      await tx.addDelivery(delivery);
      await tx.addDelivery({ ...delivery, delivery: 'another', state: 'pending' });
      await tx.addDelivery({ ...delivery, delivery: 'a third', state: 'delivered' });
      for (const [docId, closed] of [
        ['doc_a', false],
        ['doc_b', false],
        ['doc_c', true],
      ] as const)
        await tx.putDocument(documentRecord({ docId, key: docId, ...(closed && { state: 'closed', closedAt: 1 }) }));
      for (const [sessionId, expiresAt, closedAt] of [
        ['ses_1', state.now + 1, null],
        ['ses_expired', state.now, null],
        ['ses_closed', state.now + 1, 1],
      ] as const)
        await tx.putSession(sessionRecord({ sessionId, docId: 'doc_a', tokenHash: sessionId, expiresAt, closedAt }));
    });
    const before = await status();
    expect(validator('gate-status.json')(before)).to.deep.include({ ok: true });
    expect(before.connections).to.include({ enforcing: false, sample_age_seconds: null });
    expect(before.embed).to.deep.include({ open_documents: 2, sessions: 1, callback_signing: true });
    expect(before.embed.callbacks.pending).to.equal(1);
    counting.observe({ at: state.now, views: [], documents: 0, modified: new Set() });
    state.now += 5_500;
    const after = await status();
    expect(after.connections).to.include({ current: 0, limit: 50, enforcing: true, sample_age_seconds: 5 });
    expect(after.license).to.deep.equal({ state: 'grace', grace_days_left: 3 });
    expect(after.embed.callbacks.given_up).to.deep.equal([
      {
        delivery: delivery.delivery,
        event: 'document.saved',
        doc_id: 'doc_1',
        version: 1,
        at: '1970-01-01T00:00:01.000Z',
        last_status: 500,
      },
    ]);
    expect(JSON.stringify(after)).not.to.contain(delivery.key);
    await rows.close();
  });

  it('reads the disk at most once a second, and again after a failure', async () => {
    const count = { reads: 0, broken: true };
    const rows = await createRows(':memory:');
    const counted: Rows = {
      ...rows,
      read: (work: (tables: RowsReader) => never) => {
        count.reads += 1;
        return count.broken ? Promise.reject(new Error('the disk is gone')) : rows.read(work);
      },
    };
    const { status, state } = start(counted);
    expect(await status().catch((error: Error) => error.message)).to.equal('the disk is gone');
    count.broken = false;
    await Promise.all(Array.from({ length: 50 }, () => status()));
    expect(count.reads).to.equal(2);
    state.now += 1000;
    await status();
    expect(count.reads).to.equal(3);
    await rows.close();
  });
});
