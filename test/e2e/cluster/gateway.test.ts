import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { ooxml, SENTENCE } from '../../../scripts/support/documents.ts';
import type { DocbuilderLimits } from '../../../src/common/generated/wire.ts';
import { secret } from '../../support/logs.ts';
import { form } from '../../support/service.ts';
import { skip } from '../../support/skip.ts';
import { download, readLines } from '../../support/stack-steps.ts';
import { until } from '../../support/until.ts';
import { checkFront } from '../front/suite.ts';
import { defineGateways, endGateway, GATEWAY, gatewayMissing, startGateway } from './support/gateway.ts';
import { conditionIs } from './support/instance.ts';
import { NODE_PORT, type Office, officeFor } from './support/office.ts';
import { openSessions } from './support/sessions.ts';

const MB = 1024 * 1024;
/** Longer than the minute that Traefik gives a request by default. */
const SLOW_SECONDS = 65;
const PIECES = 150;

describe('on a cluster: behind a Gateway', function () {
  this.timeout(240_000);
  let office: Office;

  before(async function () {
    const missing = gatewayMissing();
    if (missing !== undefined) skip(this, missing);
    office = await officeFor(this);
    await endGateway(office.cluster);
  });
  after(async () => {
    if (office === undefined) return;
    await endGateway(office.cluster);
    const front = { service: { type: 'NodePort', nodePort: NODE_PORT } };
    await office.patch({ ingress: null, front, license: null });
    await office.kubectl('delete', 'secret', 'svc-license', '--ignore-not-found');
    await office.ready();
  });

  it('the instance is not reachable while no Gateway takes its HTTPRoute, and is once one does', async () => {
    await defineGateways(office.cluster);
    const ingress = { gating: 'Front', kind: 'HTTPRoute', gateway: GATEWAY };
    await office.patch({ ingress, front: { service: { type: 'ClusterIP', nodePort: null } } });
    await conditionIs(office, 'EdgeReady', 'False', 'RouteNotAccepted');
    await startGateway(office.cluster, NODE_PORT);
    await conditionIs(office, 'EdgeReady', 'True', 'Accepted');
    await office.ready();
  });

  it('all rows of the conformance suite hold, %2F and WebSockets among them', async () => {
    const results = await checkFront({ baseUrl: new URL(office.outside.url), mode: 'front' });
    expect(results).to.have.length.above(10);
    const missed = results.filter(({ misses }) => misses.length > 0);
    expect(missed).to.deep.equal([]);
  });

  it('a person edits and saves through it', async () => {
    const sessions = await openSessions(office);
    const session = await sessions.create({ key: 'gateway' });
    const client = await sessions.open(session);
    try {
      await client.addLine('Qua cổng.');
      expect(await sessions.save(session, client)).to.equal(1);
    } finally {
      await client.leave();
    }
    const { download_url } = await sessions.state(await sessions.create({ key: 'gateway', mode: 'view' }));
    expect(readLines(await download(download_url)).join('\n')).to.include('Qua cổng.');
  });

  it(`100 MB arrive within ${SLOW_SECONDS} s, as from a slow line, and are converted`, async () => {
    const key = secret((await office.secret('office-secrets', 'docbuilder-api-keys')).replace(/^default:/, ''));
    await becomeEnterprise(office, key);
    const file = ooxml('docx', { paragraphs: 1 }, { 'word/media/unused.bin': randomBytes(100 * MB) });
    const whole = new Response(form(file, 'a.docx', { to: 'txt' }));
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': whole.headers.get('Content-Type') ?? '' };
    const body = ReadableStream.from(slowly(Buffer.from(await whole.arrayBuffer())));
    const started = Date.now();
    const answer = await fetch(`${office.outside.url}/v1/convert`, { method: 'POST', headers, body, duplex: 'half' });
    const text = await answer.text();
    expect(answer.status, text).to.equal(200);
    expect(text).to.include(SENTENCE);
    expect(Date.now() - started).to.be.above(SLOW_SECONDS * 1000);
  });
});

/** Files may have 100 MB with a licence only. */
async function becomeEnterprise(office: Office, key: string): Promise<void> {
  await office.giveLicence();
  const headers = { Authorization: `Bearer ${key}` };
  const limits = async () =>
    (await (await fetch(`${office.outside.url}/v1/limits`, { headers })).json()) as DocbuilderLimits;
  await until('DocBuilder is Enterprise', async () => (await limits()).edition === 'enterprise', 120_000);
}

/** The bytes in pieces, one after the other in all the time. */
async function* slowly(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const size = Math.ceil(bytes.length / PIECES);
  for (let from = 0; from < bytes.length; from += size) {
    yield bytes.subarray(from, from + size);
    await new Promise((resolve) => setTimeout(resolve, (SLOW_SECONDS * 1000) / PIECES));
  }
}
