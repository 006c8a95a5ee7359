import { expect } from 'chai';
import { createDelivery, sentAt } from '../../../../cmd/gate/domain/callback-body.ts';
import { validator } from '../../../../src/common/schema.ts';
import { documentRecord, versionRecord } from '../../../support/gate-records.ts';

const NOW = Date.parse('2026-09-21T08:00:00.500Z');
const LAN = { id: 'u1', name: 'Lan' };
const MINH = { id: 'u2', name: 'Minh' };
const links = {
  sign: (base: string, docId: string, version: number) => `${base}/${docId}/${version}`,
  renew: (link: string) => `${link}?again`,
};
const document = documentRecord({ key: 'contract-17', title: 'Hợp đồng', callbackUrl: 'https://portal.example/cb' });
const version = versionRecord({ version: 3, size: 7, savedBy: LAN, autosave: true, modifiedByUser: true });

const make = (status: 'saved' | 'closed', changes = {}, users = [LAN]) =>
  createDelivery(status, document, { ...version, ...changes }, { users, links, now: NOW }) ?? expect.fail('none');
const sent = (made: ReturnType<typeof make>, now: number, sampledAt: number | null = null) => {
  const presence = { users: () => [MINH], sampledAt: () => sampledAt };
  const delivery = sentAt({ ...made, id: 1 }, now, { links, presence });
  return { ...JSON.parse(delivery.body), delivery: delivery.delivery };
};

describe('the body of a save callback', () => {
  it('tells all of a save', () => {
    const made = make('saved');
    expect(made).to.include({ event: 'document.saved', version: 3, state: 'pending', attempts: 0, nextAttemptAt: NOW });
    expect(made.delivery).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    const body: unknown = JSON.parse(made.body);
    expect(validator('document-callback.json')(body)).to.have.property('ok', true);
    expect(body).to.deep.equal({
      ...{ status: 'saved', key: 'contract-17', version: 3, url: 'https://office.example.vn/doc_a/3' },
      ...{ fileType: 'docx', title: 'Hợp đồng', size: 7, sha256: 'a'.repeat(64), users: [LAN], savedBy: LAN },
      ...{ autosave: true, final: false, modifiedByUser: true, timestamp: '2026-09-21T08:00:00.500Z' },
    });
  });

  it('goes out with the time of each attempt and a link of that time, under the same id', () => {
    const made = make('saved');
    for (const wait of [0, 9_000]) {
      const timestamp = new Date(NOW + wait).toISOString();
      const url = 'https://office.example.vn/doc_a/3?again';
      expect(sent(made, NOW + wait)).to.include({ delivery: made.delivery, url, timestamp });
    }
    const nothing = { savedBy: null, autosave: false, final: false, modifiedByUser: false };
    expect(sent(make('closed', { version: 0, final: true }), NOW)).to.include({ url: null, ...nothing });
  });

  it('tells who has the document open when it goes out, once somebody has looked since the save', () => {
    for (const before of [null, NOW - 1, NOW])
      expect(sent(make('saved'), NOW + 60_000, before).users).to.deep.equal([LAN]);
    expect(sent(make('saved'), NOW + 60_000, NOW + 1).users).to.deep.equal([MINH]);
    expect(sent(make('saved', { final: true }, []), NOW, NOW + 1).users, 'after they have left').to.deep.equal([]);
    expect(sent(make('closed', {}, []), NOW, NOW + 1).users).to.deep.equal([]);
  });
});
