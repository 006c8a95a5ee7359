import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { certificateFound } from '../../../../cmd/controller/reconcile/edge.ts';
import { makeAuthority, makeIdentity } from '../../../support/pki.ts';

const WHAT = 'Secret office-tls, which spec.tls.secretName names';
const DAY_MS = 86_400_000;

describe('the certificate that the edge is given', () => {
  let folder: string;
  /** PEM, by the subject alternative names in it. */
  let make: (hosts?: readonly string[]) => Promise<string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-certificate-'));
    const authority = await makeAuthority(folder);
    make = async (hosts) => {
      const who = { name: 'office.docs.example', ...(hosts && { hosts }) };
      return readFile((await makeIdentity(folder, 'edge', authority, who)).certificate, 'utf8');
    };
  });
  after(() => rm(folder, { recursive: true }));

  const found = (text: string, now = Date.now()) =>
    certificateFound(text, { what: WHAT, host: 'office.docs.example', now });

  it('is good when browsers take it for the host, and until it expires', async () => {
    for (const hosts of [['DNS:office.docs.example'], ['DNS:other.example', 'DNS:*.docs.example']]) {
      const { problem, nextChange = 0 } = found(await make(hosts));
      expect(problem).to.equal(undefined);
      expect(nextChange - Date.now())
        .to.be.greaterThan(29 * DAY_MS)
        .and.lessThan(31 * DAY_MS);
    }
  });

  it('may have others behind it', async () => {
    const chain = (await make(['DNS:office.docs.example'])) + (await make(['DNS:authority.example']));
    expect(found(chain).problem).to.equal(undefined);
  });

  it('is of no use for another name, be the host its common name', async () => {
    expect(found(await make(['DNS:other.example', 'IP:192.0.2.1'])).problem).to.deep.equal({
      reason: 'CertificateOfOtherName',
      message: `${WHAT}, has a certificate for DNS:other.example, IP Address:192.0.2.1, not for office.docs.example: renew it.`,
    });
    expect(found(await make()).problem?.message).to.include('for no name, not for office.docs.example');
  });

  it('is of no use before and after its time', async () => {
    const text = await make(['DNS:office.docs.example']);
    const early = found(text, Date.now() - DAY_MS);
    expect(early.problem).to.include({ reason: 'CertificateNotYetValid' });
    expect(early.nextChange).to.be.greaterThan(Date.now() - DAY_MS);
    const late = found(text, Date.now() + 31 * DAY_MS);
    expect(late.problem?.message).to.match(/has a certificate that expired on 20\d\d-.*Z: renew it\.$/);
    expect(late).not.to.have.property('nextChange');
  });

  it('is told from anything else', () => {
    for (const text of ['', 'hello', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
      expect(found(text).problem).to.deep.equal({
        reason: 'CertificateUnusable',
        message: `${WHAT}, has no certificate under tls.crt: put one there.`,
      });
    }
  });
});
