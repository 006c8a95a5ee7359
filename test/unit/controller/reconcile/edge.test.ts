import { expect } from 'chai';
import { httpRouteObjects } from '../../../../cmd/controller/desired/httproute.ts';
import { ingressObjects } from '../../../../cmd/controller/desired/ingress.ts';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import type { Condition } from '../../../../cmd/controller/reconcile/conditions.ts';
import { observeEdge } from '../../../../cmd/controller/reconcile/edge.ts';
import { OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';
import { type PartialSpec, situationOf } from '../desired/situation.ts';
import { type MemoryClient, memoryClient } from './memory-client.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ADDRESS = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
const HOSTNAME = { loadBalancer: { ingress: [{ hostname: 'lb.example' }] } };
const ROUTE = { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'public', namespace: 'gateways' } };

describe('whether people get through to the front', () => {
  let server: MemoryClient;
  beforeEach(() => {
    server = memoryClient();
    server.put({ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name: 'nginx' } });
  });

  interface Seen {
    spec?: PartialSpec;
    /** The status of each object in turn; undefined: it is not there. */
    statuses?: readonly (object | undefined)[];
    change?: (object: KubernetesObject & { spec: Record<string, unknown> }) => void;
    previous?: readonly Condition[];
  }

  async function edge({ spec = {}, statuses = [], change, previous = [] }: Seen) {
    const situation = situationOf({ spec });
    const owned = new OwnedObjects();
    const objects = [...ingressObjects(situation), ...httpRouteObjects(situation)];
    for (const [index, object] of objects.entries()) {
      const status = statuses[Math.min(index, statuses.length - 1)];
      const seen = structuredClone({ ...object, status }) as unknown as Parameters<NonNullable<typeof change>>[0];
      change?.(seen);
      if (status) owned.observe(seen);
    }
    return observeEdge({ client: server.client, owned, previous, now: NOW }, situation);
  }

  it('is so when each Ingress has an address, as an IP address or as a name', async () => {
    for (const statuses of [[ADDRESS], [HOSTNAME]]) {
      const { finding, trouble } = await edge({ statuses });
      expect(trouble).to.equal(undefined);
      expect(finding).to.deep.equal({
        ...{ type: 'EdgeReady', status: 'True', reason: 'Accepted' },
        message: 'The edge leads https://office.example to the front.',
      });
    }
    expect(server.asked()).to.deep.equal([]);
  });

  it('is not known where people have an edge of their own', async () => {
    const { finding, trouble } = await edge({ spec: { ingress: { gating: 'None' } } });
    expect(trouble).to.equal(undefined);
    expect(finding).to.include({ status: 'Unknown', reason: 'OwnEdge' });
  });

  it('is not so while an Ingress is missing, which is no news', async () => {
    const { trouble } = await edge({ statuses: [ADDRESS, ADDRESS, undefined] });
    expect(trouble).to.deep.equal({
      ...{ reason: 'Progressing', stalled: false, message: 'Ingress office has not been created yet.' },
    });
  });

  it('is not so when one Ingress has no address, though the others have', async () => {
    const { finding, trouble } = await edge({ statuses: [ADDRESS, { loadBalancer: {} }, ADDRESS] });
    expect(trouble).to.deep.equal({
      reason: 'NoAddress',
      stalled: false,
      message:
        'No ingress controller has given Ingress office-socket an address yet: does the one of class nginx run, and does it publish its address?',
    });
    expect(finding).to.include({ status: 'False', reason: 'NoAddress', message: trouble?.message });
  });

  it('takes a person when there is no such class, or none at all', async () => {
    server.remove('IngressClass', 'nginx');
    expect((await edge({ statuses: [{}] })).trouble).to.deep.equal({
      reason: 'IngressClassNotFound',
      stalled: true,
      message:
        'There is no IngressClass nginx: install its ingress controller, or name another in spec.ingress.className.',
    });
    const front = { spec: { ingress: { gating: 'Front' } }, statuses: [{}] };
    expect((await edge(front)).trouble).to.deep.equal({
      reason: 'NoIngressClass',
      stalled: true,
      message: 'Ingress office has no class, and the cluster has no default one: set spec.ingress.className.',
    });
    server.put({ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name: 'haproxy' } });
    const defaulted = await edge({
      ...front,
      change: ({ spec }) => Object.assign(spec, { ingressClassName: 'haproxy' }),
    });
    expect(defaulted.trouble).to.include({ reason: 'NoAddress' });
    expect((await edge({ ...front, statuses: [ADDRESS] })).trouble, 'some serve those without a class').to.equal(
      undefined,
    );
  });

  it('asks for no class where it may not', async () => {
    const get = server.client.get;
    server.client.get = (resource, ...rest) =>
      resource.kind === 'IngressClass'
        ? Promise.reject(new ApiError('GET /x', { status: 403, reason: 'Forbidden' }))
        : get(resource, ...rest);
    expect((await edge({ statuses: [{}] })).trouble).to.include({ reason: 'NoAddress' });
  });

  it('is so when a Gateway has accepted the route, and only then', async () => {
    const parent = (...conditions: object[]) => ({ parents: [{ parentRef: { name: 'public' }, conditions }] });
    const accepted = { type: 'Accepted', status: 'True' };
    const of = async (status: object) => (await edge({ spec: { ingress: ROUTE }, statuses: [status] })).trouble;
    expect(await of(parent(accepted, { type: 'ResolvedRefs', status: 'True' }))).to.equal(undefined);
    expect(await of({})).to.deep.equal({
      reason: 'RouteNotAccepted',
      stalled: false,
      message:
        'No Gateway has accepted HTTPRoute office yet: is there a Gateway public in namespace gateways, and does its controller run?',
    });
    expect(await of(parent({ type: 'Accepted', status: 'Unknown' }))).to.include({ reason: 'RouteNotAccepted' });
    const refs = { type: 'ResolvedRefs', status: 'False', reason: 'BackendNotFound', message: 'no Service' };
    expect(await of(parent(accepted, refs))).to.deep.equal({
      reason: 'RouteRefused',
      stalled: false,
      message: 'Gateway public does not accept HTTPRoute office: BackendNotFound: no Service.',
    });
  });

  it('is not so while the certificate is missing, or is none', async () => {
    const tls = { spec: { tls: { secretName: 'office-tls' } }, statuses: [ADDRESS] };
    expect((await edge(tls)).trouble).to.deep.equal({
      reason: 'CertificateMissing',
      stalled: false,
      message: 'There is no Secret office-tls, which spec.tls.secretName names: create it.',
    });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'office-tls', namespace: 'documents' } };
    server.put(secret);
    expect((await edge(tls)).trouble).to.include({ reason: 'CertificateUnusable' });
  });

  it('takes a person after ten minutes', async () => {
    const since = (minutes: number): Condition[] => [
      {
        ...{ type: 'EdgeReady', status: 'False', reason: 'Progressing', message: '' },
        lastTransitionTime: new Date(NOW - minutes * 60_000).toISOString(),
      },
    ];
    expect((await edge({ statuses: [{}], previous: since(9) })).trouble).to.include({ stalled: false });
    expect((await edge({ statuses: [{}], previous: since(10) })).trouble).to.include({ stalled: true });
  });
});
