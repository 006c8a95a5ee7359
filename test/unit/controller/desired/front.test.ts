import { readFileSync } from 'node:fs';
import type { V1Deployment, V1Service } from '@kubernetes/client-node';
import { expect } from 'chai';
import { frontObjects } from '../../../../cmd/controller/desired/front.ts';
import { manifests } from './manifests.ts';
import { type PartialSpec, situationOf } from './situation.ts';

const IMAGE = readFileSync(new URL('../../../../Dockerfile', import.meta.url), 'utf8').split('AS front\n')[1] ?? '';
const TEMPLATE = readFileSync(new URL('../../../../ingress/front/nginx.conf.template', import.meta.url), 'utf8');

describe('the front', () => {
  it('gets every variable of its template', () => {
    const wanted = new Set([...TEMPLATE.matchAll(/\$\{(SVC_FRONT_[A-Z_]+)\}/g)].map(([, name]) => name));
    expect(Object.keys(environmentOf({}))).to.have.members([...wanted]);
  });

  it('writes the address of an IPv6 DNS as nginx reads it', () => {
    const situation = situationOf();
    situation.settings.clusterDns = 'fd00:10:96::a';
    const { env = [] } = containerOf(deploymentOf(frontObjects(situation)));
    expect(env).to.deep.include({ name: 'SVC_FRONT_RESOLVER', value: '[fd00:10:96::a]' });
  });

  it('believes edges of the cluster who a client is while nobody else reaches it, and else who is named', () => {
    const trusted = (front: NonNullable<PartialSpec['front']>) => environmentOf({ front })['SVC_FRONT_TRUSTED_EDGES'];
    expect(trusted({})).to.equal('10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7');
    expect(trusted({ service: { type: 'LoadBalancer' } })).to.equal(undefined);
    expect(trusted({ service: { type: 'LoadBalancer' }, trustedEdges: ['192.0.2.7'] })).to.equal('192.0.2.7');
    expect(trusted({ trustedEdges: [] })).to.equal(undefined);
  });

  it('lets as many requests be in progress as the spec says, by itself as many as its image does', () => {
    const names = ['SVC_FRONT_REQUESTS_PER_ADDRESS', 'SVC_FRONT_REQUESTS'];
    const limits = (spec: PartialSpec) => names.map((name) => environmentOf(spec)[name]);
    expect(limits({})).to.deep.equal(names.map((name) => new RegExp(`${name}=(\\d+)`).exec(IMAGE)?.[1]));
    expect(limits({ front: { requestsPerAddress: 10, requests: 20 } })).to.deep.equal(['10', '20']);
  });

  it('has the ports of its image', () => {
    const ports = Object.fromEntries(
      [...IMAGE.matchAll(/SVC_FRONT_(\w*PORT)=(\d+)/g)].map(([, name, port]) => [name, Number(port)]),
    );
    const found = containerOf(deploymentOf(frontObjects(situationOf()))).ports?.map(
      ({ containerPort }) => containerPort,
    );
    expect(found).to.deep.equal([ports['PORT'], ports['OPEN_PORT'], ports['ASK_PORT']]);
  });

  it('has the Services of ingress/nginx/auth-url.yaml for an edge that asks, of one port each', () => {
    const ports = new Map(
      containerOf(deploymentOf(frontObjects(situationOf()))).ports?.map((port) => [port.name, port.containerPort]),
    );
    const written = manifests('nginx/auth-url.yaml').filter(({ kind }) => kind === 'Service') as unknown as V1Service[];
    expect(written).to.have.length(2);
    for (const { metadata, spec } of written) {
      const rendered = serviceOf({}, metadata?.name ?? '', 'svc').spec?.ports?.map(
        ({ protocol: _, targetPort, ...port }) => ({
          ...port,
          targetPort: ports.get(String(targetPort)),
        }),
      );
      expect(rendered).to.deep.equal(spec?.ports);
      expect(rendered).to.have.length(1);
    }
  });
});

function deploymentOf(objects: ReturnType<typeof frontObjects>): V1Deployment {
  return objects.find(({ kind }) => kind === 'Deployment') as unknown as V1Deployment;
}

function containerOf({ spec }: V1Deployment) {
  const [container] = spec?.template.spec?.containers ?? [];
  if (!container) throw new Error('no container');
  return container;
}

function environmentOf(spec: PartialSpec): Record<string, string> {
  const { env = [] } = containerOf(deploymentOf(frontObjects(situationOf({ spec }))));
  return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
}

function serviceOf(spec: PartialSpec, name: string, instance = 'office'): V1Service {
  const objects = frontObjects(situationOf({ spec, name: instance }));
  return objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name) as unknown as V1Service;
}
