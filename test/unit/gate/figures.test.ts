import { expect } from 'chai';
import { Counting } from '../../../cmd/gate/domain/counting.ts';
import { connectionLimit, gateLimits } from '../../../cmd/gate/domain/limits.ts';
import type { Rows, RowsReader } from '../../../cmd/gate/domain/ports.ts';
import { createStatus } from '../../../cmd/gate/domain/status.ts';
import { createRows } from '../../../cmd/gate/store/rows.ts';
import { type LicenseState, NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { validator } from '../../../src/common/schema.ts';
import { deliveryRecord, documentRecord, sessionRecord } from '../../support/gate-records.ts';

const embed = { enabled: true, maxFileMb: 100, sessionTtlMinutes: 720 };
const licence = (conns: number, features: string[] = ['api_full'], state: 'valid' | 'grace' | 'expired' = 'valid') =>
  ({
    state,
    graceDaysLeft: state === 'grace' ? 3 : null,
    claims: { sub: 's', conns, features, issuedAt: 0, expiresAt: 1 },
    problem: null,
  }) satisfies LicenseState;

describe('the limits of the gate', () => {
  it('are 50 connections in Community, exactly those of the licence in Enterprise, and lowered by the cap only', () => {
    for (const [license, cap, limit] of [
      [NO_LICENSE, undefined, 50],
      ...[1, 49, 50, 200].map((conns) => [licence(conns), undefined, conns] as const),
      [licence(20, [], 'grace'), undefined, 20],
      [licence(200, [], 'expired'), undefined, 50],
      ...[0, 20, 50].map((lower) => [NO_LICENSE, lower, lower] as const),
      [NO_LICENSE, 51, 50],
    ] as const) {
      expect(connectionLimit(license, cap)).to.equal(limit);
      const { connections } = gateLimits(license, { connectionCap: cap, embed });
      const isLowered = limit < connections.plan_limit;
      expect(connections).to.include({ limit, cap: isLowered ? limit : null, min_per_order: 50 });
    }
    expect(gateLimits(NO_LICENSE, { connectionCap: 20, embed }).connections.plan_limit).to.equal(50);
  });

  it('are shown as the contract has them', () => {
    const community = gateLimits(NO_LICENSE, { connectionCap: undefined, embed });
    const enterprise = gateLimits(licence(200, ['api_full', 'whitelabel']), { connectionCap: undefined, embed });
    for (const limits of [community, enterprise])
      expect(validator('gate-limits.json')(limits)).to.deep.include({ ok: true });
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
      ...{ sample_interval_seconds: 10, peak_window_seconds: 300, reconnect_grace_seconds: 120 },
    });
  });
});

describe('the status of the gate', () => {
  let rows: Rows;
  beforeEach(async () => {
    rows = await createRows(':memory:');
  });
  afterEach(() => rows.close());

  function start(read = rows) {
    const state = { now: 1_000_000 };
    const counting = new Counting({ limit: () => 50, clock: () => state.now });
    const status = createStatus({
      rows: read,
      editor: { state: () => 'ok' },
      figures: async () => counting.figures(),
      license: () => licence(9, [], 'grace'),
      unsaved: { list: async () => [] },
      callbackSigning: true,
      clock: () => state.now,
    });
    return { state, counting, status };
  }

  it('follows its schema, and lists callbacks that were given up, without the keys of their documents', async () => {
    const { counting, status, state } = start();
    const given = deliveryRecord({ key: 'a-customer', state: 'given_up', attempts: 3, lastStatus: 500, endedAt: 1000 });
    await rows.transact(async (tx) => {
      await tx.addDelivery(given);
      for (const ended of ['pending', 'delivered'] as const) await tx.addDelivery(deliveryRecord({ state: ended }));
      for (const docId of ['doc_a', 'doc_b']) await tx.putDocument(documentRecord({ docId, key: docId }));
      await tx.putDocument(documentRecord({ docId: 'doc_c', key: 'c', state: 'closed', closedAt: 1 }));
      for (const [sessionId, expiresAt, closedAt] of [
        ['ses_1', state.now + 1, null],
        ['ses_expired', state.now, null],
        ['ses_closed', state.now + 1, 1],
      ] as const)
        await tx.putSession(sessionRecord({ sessionId, tokenHash: sessionId, expiresAt, closedAt }));
    });
    const before = await status();
    expect(validator('gate-status.json')(before)).to.deep.include({ ok: true });
    expect(before.connections).to.include({ enforcing: false, sample_age_seconds: null });
    expect(before.embed).to.deep.include({ open_documents: 2, sessions: 1, callback_signing: true });
    expect(before.embed.callbacks.pending).to.equal(1);
    counting.observe({ at: state.now, views: [], documents: 0, modified: [] });
    state.now += 5_500;
    const after = await status();
    expect(after.connections).to.include({ current: 0, limit: 50, enforcing: true, sample_age_seconds: 5 });
    expect(after.license).to.deep.equal({ state: 'grace', grace_days_left: 3 });
    const { delivery } = given;
    const at = '1970-01-01T00:00:01.000Z';
    expect(after.embed.callbacks.given_up).to.deep.equal([
      { delivery, event: 'document.saved', doc_id: 'doc_a', version: 1, at, last_status: 500 },
    ]);
    expect(JSON.stringify(after)).not.to.contain('a-customer');
  });

  it('reads the disk at most once a second, and again after a failure', async () => {
    const count = { reads: 0, broken: true };
    const { status, state } = start({
      ...rows,
      read: (work: (tables: RowsReader) => never) => {
        count.reads += 1;
        return count.broken ? Promise.reject(new Error('the disk is gone')) : rows.read(work);
      },
    });
    expect(await status().catch((error: Error) => error.message)).to.equal('the disk is gone');
    count.broken = false;
    await Promise.all(Array.from({ length: 50 }, () => status()));
    expect(count.reads).to.equal(2);
    state.now += 1000;
    await status();
    expect(count.reads).to.equal(3);
  });
});
