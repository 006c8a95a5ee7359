import { readFileSync } from 'node:fs';
import type { V1Deployment, V1Service } from '@kubernetes/client-node';
import { expect } from 'chai';
import { loadAll } from 'js-yaml';
import { httpRouteObjects, ingressObjects } from '../../../../cmd/controller/desired/edge.ts';
import { frontObjects } from '../../../../cmd/controller/desired/front.ts';
import { networkPolicyObjects, type Policy } from '../../../../cmd/controller/desired/network-policies.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { makeSituation, type PartialSpec } from './situation.ts';

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const IMAGE = read('Dockerfile').split('AS front\n')[1] ?? '';
const TEMPLATE = read('ingress/front/nginx.conf.template');
const tls = { secretName: 'svc-tls' };

/** The objects of a file in `ingress/`, which people apply by hand. */
function written(file: string, kind?: string): KubernetesObject[] {
  const objects = loadAll(read(`ingress/${file}`)) as (KubernetesObject | null)[];
  return objects.filter((object) => object !== null && (!kind || object.kind === kind)) as KubernetesObject[];
}

/** An object as far as it says what to do: `metadata` has its name and annotations only. As JSON, as it travels. */
function essence({ apiVersion, kind, metadata, ...rest }: KubernetesObject): object {
  const { name, annotations } = metadata;
  return JSON.parse(JSON.stringify({ apiVersion, kind, name, annotations, ...rest }));
}

const situation = (spec: PartialSpec) => makeSituation({ name: 'svc', spec });

describe('objects for an edge are those of ingress/, which people apply by hand', () => {
  it('with gating AuthUrl', () => {
    const text = JSON.stringify(ingressObjects(situation({ tls }))).replaceAll('.documents.svc.', '.default.svc.');
    const expected = written('nginx/auth-url.yaml', 'Ingress').map(essence);
    expect((JSON.parse(text) as KubernetesObject[]).map(essence)).to.deep.equal(expected);
  });

  it('with gating Front', () => {
    const spec = { tls, ingress: { gating: 'Front', className: 'nginx' } };
    expect(ingressObjects(situation(spec)).map(essence)).to.deep.equal(written('nginx/front.yaml').map(essence));
  });

  it('with an HTTPRoute', () => {
    const gateway = { name: 'office', sectionName: 'https' };
    const routes = httpRouteObjects(situation({ ingress: { gating: 'Front', kind: 'HTTPRoute', gateway } }));
    expect(routes.map(essence)).to.deep.equal(written('gateway/httproute.yaml').map(essence));
  });

  it('with a Service for an edge that asks, and who may come to it', () => {
    const numbers = new Map(frontContainer().ports?.map(({ name, containerPort }) => [name, containerPort]));
    const services = written('nginx/auth-url.yaml', 'Service') as unknown as V1Service[];
    expect(services).to.have.length(1);
    for (const { metadata, spec } of services) {
      const own = frontObjects(situation({})).find(({ metadata: { name } }) => name === metadata?.name);
      const ports = (own as unknown as V1Service).spec?.ports ?? [];
      const expected = ports.map(({ protocol: _, targetPort, ...port }) => ({
        ...port,
        targetPort: numbers.get(String(targetPort)),
      }));
      expect(spec?.ports).to.deep.equal(expected);
      // ingress-nginx takes its page for errors from the first one.
      expect(spec?.ports?.[0]?.name).to.equal('ask');
    }
    const [policy] = written('nginx/auth-url.yaml', 'NetworkPolicy') as Policy[];
    const front = networkPolicyObjects(makeSituation()).find(({ metadata }) => metadata.name === 'office-front');
    const text = JSON.stringify(front?.spec.ingress).replaceAll('"protocol":"TCP",', '');
    expect(JSON.parse(text)).to.deep.equal(policy?.spec.ingress);
  });
});

describe('the front has what its image needs', () => {
  const variables = new Map(frontContainer().env?.map(({ name, value }) => [name, value]));

  it('every variable of its template', () => {
    const wanted = new Set([...TEMPLATE.matchAll(/\$\{(SVC_FRONT_[A-Z_]+)\}/g)].map(([, name]) => name));
    expect([...variables.keys()]).to.have.members([...wanted]);
  });

  it('the limits of requests that the image has by itself, and its ports', () => {
    const given = (name: string) => new RegExp(`${name}=(\\d+)`).exec(IMAGE)?.[1];
    for (const name of ['SVC_FRONT_REQUESTS_PER_ADDRESS', 'SVC_FRONT_REQUESTS']) {
      expect(variables.get(name), name).to.equal(given(name));
    }
    const ports = ['PORT', 'OPEN_PORT', 'ASK_PORT'].map((name) => Number(given(`SVC_FRONT_${name}`)));
    expect(frontContainer().ports?.map(({ containerPort }) => containerPort)).to.deep.equal(ports);
  });
});

function frontContainer() {
  const deployment = frontObjects(makeSituation()).find(({ kind }) => kind === 'Deployment') as unknown as V1Deployment;
  const [container] = deployment.spec?.template.spec?.containers ?? [];
  if (!container) throw new Error('no container');
  return container;
}
