import { expect } from 'chai';
import { frontObjects } from '../../../../cmd/controller/desired/front.ts';
import { ingressObjects } from '../../../../cmd/controller/desired/ingress.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { essence, manifests } from './manifests.ts';
import { type PartialSpec, situationOf } from './situation.ts';

const PREFIX = 'nginx.ingress.kubernetes.io';
const tls = { secretName: 'svc-tls' };

describe('Ingress objects', () => {
  it('with gating AuthUrl are those of ingress/nginx/auth-url.yaml', () => {
    const written = manifests('nginx/auth-url.yaml').filter(({ kind }) => kind === 'Ingress');
    const text = JSON.stringify(ingressOf({ tls })).replaceAll('.documents.svc.', '.default.svc.');
    expect((JSON.parse(text) as KubernetesObject[]).map(essence)).to.deep.equal(written.map(essence));
  });

  it('with gating Front are those of ingress/nginx/front.yaml', () => {
    const spec = { tls, ingress: { gating: 'Front', className: 'nginx' } };
    expect(ingressOf(spec).map(essence)).to.deep.equal(manifests('nginx/front.yaml').map(essence));
  });

  it('are none with gating None, and none where there is an HTTPRoute', () => {
    expect(ingressOf({ ingress: { gating: 'None' } })).to.deep.equal([]);
    expect(ingressOf({ ingress: { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'g' } } })).to.deep.equal([]);
  });

  it('name ports that the Services have', () => {
    const services = new Map(
      frontObjects(situationOf())
        .filter(({ kind }) => kind === 'Service')
        .map((service) => [service.metadata.name, (service as { spec?: { ports: { name: string }[] } }).spec?.ports]),
    );
    for (const { spec } of ingressOf({})) {
      for (const { backend } of (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? [])) {
        const ports = services.get(backend.service?.name ?? '')?.map(({ name }) => name);
        expect(ports).to.include(backend.service?.port?.name);
      }
    }
  });

  it("have people's annotations beside ours, which win", () => {
    const annotations = {
      'cert-manager.io/cluster-issuer': 'letsencrypt',
      [`${PREFIX}/auth-url`]: 'http://elsewhere.example/always-200',
      [`${PREFIX}/auth-method`]: 'POST',
      [`${PREFIX}/proxy-body-size`]: '1m',
    };
    const [page, socket, all] = ingressOf({ ingress: { annotations } }).map(({ metadata }) => metadata.annotations);
    for (const found of [page, socket, all]) {
      expect(found?.['cert-manager.io/cluster-issuer']).to.equal('letsencrypt');
      expect(found?.[`${PREFIX}/proxy-body-size`]).to.equal('0');
    }
    for (const found of [page, socket]) {
      expect(found?.[`${PREFIX}/auth-url`]).to.match(/^http:\/\/office-front-ask[.]documents[.]svc[.]/);
      expect(found?.[`${PREFIX}/auth-method`]).to.equal('GET');
    }
  });

  it('end TLS as the spec says', () => {
    const hosts = ['office.example'];
    const found = (spec: PartialSpec) => ingressOf(spec).map(({ spec }) => spec?.tls);
    expect(found({ tls })).to.deep.equal(new Array(3).fill([{ hosts, ...tls }]));
    expect(found({})).to.deep.equal(new Array(3).fill([{ hosts }]));
    expect(found({ tls: { mode: 'Disabled' } })).to.deep.equal(new Array(3).fill(undefined));
  });

  it('take the class of the spec, nginx for an edge that asks, or else the default of the cluster', () => {
    const found = (ingress: object) => ingressOf({ ingress }).map(({ spec }) => spec?.ingressClassName);
    expect(found({ className: 'public' })).to.deep.equal(new Array(3).fill('public'));
    expect(found({})).to.deep.equal(new Array(3).fill('nginx'));
    expect(found({ gating: 'Front' })).to.deep.equal([undefined]);
  });
});

/** With the instance's name as in the manifests where it has their Secret. */
function ingressOf(spec: PartialSpec) {
  return ingressObjects(situationOf({ name: spec.tls === tls ? 'svc' : 'office', spec }));
}
