import { expect } from 'chai';
import { closedDelivery, savedDelivery, sentAt } from '../../../../cmd/gate/domain/callback-body.ts';
import { validator } from '../../../../src/common/schema.ts';
import { documentRecord, versionRecord } from '../../../support/gate-records.ts';

const NOW = Date.parse('2026-09-21T08:00:00.500Z');
const link = (_document: object, version: number) => `https://office.example.vn/${version}`;
const document = documentRecord({ key: 'contract-17', title: 'Hợp đồng', callbackUrl: 'https://portal.example/cb' });
const LAN = { id: 'u1', name: 'Lan' };
const valid = validator('document-callback.json');

describe('the body of a save callback', () => {
  it('tells all of a save', () => {
    const version = versionRecord({ version: 3, size: 7, savedBy: LAN, autosave: true, modifiedByUser: true });
    const made = savedDelivery(document, version, { users: [LAN], link, now: NOW });
    expect(made).to.include({ event: 'document.saved', version: 3, state: 'pending', attempts: 0, nextAttemptAt: NOW });
    expect(made?.delivery).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    const body: unknown = JSON.parse(made?.body ?? '');
    expect(valid(body)).to.have.property('ok', true);
    expect(body).to.deep.equal({
      status: 'saved',
      key: 'contract-17',
      version: 3,
      url: 'https://office.example.vn/3',
      fileType: 'docx',
      title: 'Hợp đồng',
      size: 7,
      sha256: 'a'.repeat(64),
      users: [LAN],
      savedBy: LAN,
      autosave: true,
      final: false,
      modifiedByUser: true,
      timestamp: '2026-09-21T08:00:00.500Z',
    });
  });

  const renewing = { renew: (renewed: string) => `${renewed}?again` };
  const saved = () => {
    const made = savedDelivery(document, versionRecord({ version: 2 }), { users: [LAN], link, now: NOW });
    if (!made) throw new Error('none was made');
    return made;
  };
  const nobodyAsked = { users: () => [], sampledAt: () => null };

  it('goes out with the time of each attempt and a link of that time, under the same id', () => {
    const sending = { links: renewing, presence: nobodyAsked };
    const made = saved();
    for (const attempts of [0, 1, 2]) {
      const sent = sentAt({ ...made, id: 1, attempts }, NOW + attempts * 9000, sending);
      expect(sent.delivery).to.equal(made.delivery);
      expect(JSON.parse(sent.body)).to.include({
        url: 'https://office.example.vn/2?again',
        timestamp: new Date(NOW + attempts * 9000).toISOString(),
      });
    }
    const closed = closedDelivery(document, versionRecord(), { link, now: NOW });
    if (!closed) throw new Error('none was made');
    expect(JSON.parse(sentAt({ ...closed, id: 1 }, NOW, sending).body)).to.include({ url: null });
  });

  it('tells who has the document open when it goes out, once somebody has looked since the save', () => {
    const minh = { id: 'u2', name: 'Minh' };
    const usersAt = (sampledAt: number | null, delivery = saved()) => {
      const presence = { users: () => [minh], sampledAt: () => sampledAt };
      return JSON.parse(sentAt({ ...delivery, id: 1 }, NOW + 60_000, { links: renewing, presence }).body).users;
    };
    for (const before of [null, NOW - 1, NOW]) expect(usersAt(before)).to.deep.equal([LAN]);
    expect(usersAt(NOW + 1)).to.deep.equal([minh]);
    const retried = { ...saved(), attempts: 1, nextAttemptAt: NOW + 50_000 };
    expect(usersAt(NOW + 40_000, retried), 'of a further attempt').to.deep.equal([minh]);
    const final = savedDelivery(document, versionRecord({ version: 2, final: true }), { users: [], link, now: NOW });
    expect(usersAt(NOW + 1, final), 'after they have left').to.deep.equal([]);
    const closed = closedDelivery(document, versionRecord({ version: 2 }), { link, now: NOW });
    expect(usersAt(NOW + 1, closed)).to.deep.equal([]);
  });
});
