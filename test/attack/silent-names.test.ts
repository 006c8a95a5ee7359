import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { parseAllowList } from '../../src/common/net/allow-list.ts';
import { createOutbound } from '../../src/common/net/outbound.ts';
import { createLookup } from '../../src/common/net/target.ts';
import { refusal } from '../support/outbound.ts';

const INTERNAL = [10, 1, 2, 3];

/** The owner of a domain decides how long its servers take to answer. */
describe('attack: names whose servers keep silent', () => {
  let server: Socket;
  let address: string;
  before(async () => {
    server = createSocket('udp4', (query, { port }) => {
      if (!query.includes('silent')) server.send(answerTo(query), port);
    }).bind(0, '127.0.0.1');
    await once(server, 'listening');
    address = `127.0.0.1:${server.address().port}`;
  });
  after(() => server.close());

  const open = (allow = '') =>
    createOutbound({ allow: parseAllowList(allow).list, lookup: createLookup([address]), userAgent: 'SVC-Test/1.0' });

  it('hold up nobody, and no thread; a download of one has failed for the time it took', async () => {
    const [door, started] = [open(), Date.now()];
    const silent = Array.from({ length: 50 }, (_, index) => door.check(`http://silent${index}.example.com/`));
    const post = door.post('http://silent.example.com/', { headers: {}, body: Buffer.from(''), timeoutMs: 10_000 });
    const failed = refusal(post, 'download_failed');
    expect(process.getActiveResourcesInfo()).not.to.include('GetAddrInfoReqWrap');
    const first = await Promise.race([
      Promise.all(silent).then(() => 'silent'),
      refusal(door.check('http://good.example.com/'), 'url_not_allowed'),
    ]);
    expect(first).to.deep.equal({ reason: 'address' });
    await Promise.all(silent);
    expect(await failed).to.deep.equal({ reason: 'timeout' });
    expect(Date.now() - started).to.be.within(1900, 8000);
  });

  it('are not asked of DNS where they are the own', async () => {
    await open('localhost').check('http://localhost/');
    expect(await refusal(open().check('http://localhost/'), 'url_not_allowed')).to.deep.equal({ reason: 'address' });
  });
});

/** The query with one address for type A, and none for any other (RFC 1035, section 4.1). */
function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const isA = query.readUInt16BE(end - 4) === 1;
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...INTERNAL]);
  const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  return Buffer.concat([head, query.subarray(12, end), ...(isA ? [record] : [])]);
}
