import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { httpRouteObjects, ingressObjects } from '../../../../cmd/controller/desired/edge.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import { certificateFound, observeEdge } from '../../../../cmd/controller/reconcile/edge.ts';
import { OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';
import { useFolder } from '../../../support/folder.ts';
import { expectGolden } from '../../../support/golden.ts';
import { makeAuthority, makeIdentity } from '../../../support/pki.ts';
import { makeSituation, type PartialSpec } from '../desired/situation.ts';
import { memoryClient } from './memory-client.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ADDRESS = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
const HOSTNAME = { loadBalancer: { ingress: [{ hostname: 'lb.example' }] } };
const FRONT: PartialSpec = { ingress: { gating: 'Front' } };
const ROUTE: PartialSpec = {
  ingress: { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'public', namespace: 'gateways' } },
};
const TLS: PartialSpec = { tls: { secretName: 'office-tls' } };
const ACCEPTED = { type: 'Accepted', status: 'True' };
const REFS = { type: 'ResolvedRefs', status: 'False', reason: 'BackendNotFound', message: 'no Service' };
const parent = (...conditions: object[]) => ({ parents: [{ parentRef: { name: 'public' }, conditions }] });
const ingressClass = (name: string) => ({
  ...{ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name } },
});
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'office-tls', namespace: 'documents' } };

interface Seen {
  spec?: PartialSpec;
  /** The status of each object in turn, of further ones the last; undefined: it is not there. */
  statuses?: readonly (object | undefined)[];
  /** The class that the API server has given an Ingress without one. */
  defaulted?: string;
  /** In the cluster besides. */
  there?: readonly KubernetesObject[];
  /** Minutes since it was ready. */
  minutes?: number;
}

const CASES: Readonly<Record<string, Seen>> = {
  'they do when each Ingress has an address': { statuses: [ADDRESS] },
  'they do when each Ingress has a name': { statuses: [HOSTNAME] },
  'it is not known where people have an edge of their own': { spec: { ingress: { gating: 'None' } } },
  'it is no news that an Ingress is missing': { statuses: [ADDRESS, ADDRESS, undefined] },
  'they do not when one Ingress has no address': { statuses: [ADDRESS, { loadBalancer: {} }, ADDRESS] },
  'no person is needed within nine minutes': { statuses: [{}], minutes: 9 },
  'a person is needed after ten minutes': { statuses: [{}], minutes: 10 },
  'a person is needed when there is no such class': { statuses: [{}], there: [] },
  'a person is needed when there is no class at all': { spec: FRONT, statuses: [{}], there: [] },
  'the API server gives an Ingress the class of the cluster': {
    ...{ spec: FRONT, statuses: [{}], defaulted: 'haproxy', there: [ingressClass('haproxy')] },
  },
  'some serve those without a class': { spec: FRONT, statuses: [ADDRESS], there: [] },
  'they do when a Gateway has accepted the route': {
    ...{ spec: ROUTE, statuses: [parent(ACCEPTED, { type: 'ResolvedRefs', status: 'True' })] },
  },
  'they do not while no Gateway has looked at the route': { spec: ROUTE, statuses: [{}] },
  'they do not while the Gateway does not know': {
    ...{ spec: ROUTE, statuses: [parent({ type: 'Accepted', status: 'Unknown' })] },
  },
  'they do not where the Gateway finds no Service': { spec: ROUTE, statuses: [parent(ACCEPTED, REFS)] },
  'they do where what the Gateway had found wrong was in an older spec': {
    ...{ spec: ROUTE, statuses: [parent(ACCEPTED, { ...REFS, observedGeneration: 1 })] },
  },
  'they do not while the certificate is missing': { spec: TLS, statuses: [ADDRESS] },
  'they do not when the certificate is none': {
    ...{ spec: TLS, statuses: [ADDRESS], there: [ingressClass('nginx'), SECRET] },
  },
};

describe('whether people get through to the front', () => {
  async function look({ spec = {}, statuses = [], defaulted, there = [ingressClass('nginx')], minutes }: Seen) {
    const server = memoryClient();
    for (const object of there) server.put(object);
    const situation = makeSituation({ spec });
    const owned = new OwnedObjects();
    for (const [index, object] of [...ingressObjects(situation), ...httpRouteObjects(situation)].entries()) {
      const status = statuses[Math.min(index, statuses.length - 1)];
      const seen = structuredClone({
        ...object,
        metadata: { ...object.metadata, generation: 2 },
        status,
      }) as KubernetesObject & { spec: object };
      if (defaulted) Object.assign(seen.spec, { ingressClassName: defaulted });
      if (status) owned.observe(seen);
    }
    const lastTransitionTime = new Date(NOW - (minutes ?? 0) * 60_000).toISOString();
    const old = { type: 'EdgeReady', status: 'False', reason: 'Progressing', message: '', lastTransitionTime } as const;
    const previous = minutes === undefined ? [] : [old];
    return {
      server,
      observe: () =>
        observeEdge(
          {
            client: server.client,
            find: (object) => owned.find(object)?.edge,
            isOutdated: () => false,
            previous,
            now: NOW,
          },
          situation,
        ),
    };
  }

  it('is as golden/edge.yaml says (UPDATE_GOLDEN=1 writes it)', async () => {
    const found = Object.entries(CASES).map(async ([rule, seen]) => {
      const { server, observe } = await look(seen);
      return { rule, ...(await observe()), asked: server.asked() };
    });
    expectGolden(new URL('golden/edge.yaml', import.meta.url), await Promise.all(found));
  });

  it('asks for no class where it may not', async () => {
    const { server, observe } = await look({ statuses: [{}] });
    server.client.get = () => Promise.reject(new ApiError('GET /x', { status: 403, reason: 'Forbidden' }));
    expect((await observe()).trouble).to.include({ reason: 'NoAddress' });
  });
});

const WHAT = 'Secret office-tls, which spec.tls.secretName names';
const DAY_MS = 86_400_000;

describe('the certificate that the edge is given', () => {
  const folder = useFolder();
  /** PEM, by the subject alternative names in it. */
  let make: (hosts?: readonly string[]) => Promise<string>;

  before(async () => {
    const authority = await makeAuthority(folder.path);
    make = async (hosts) => {
      const who = { name: 'office.docs.example', ...(hosts && { hosts }) };
      return readFile((await makeIdentity(folder.path, 'edge', authority, who)).certificate, 'utf8');
    };
  });

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
