import type { V1HTTPIngressPath, V1Ingress, V1IngressSpec } from '@kubernetes/client-node';
import { type KubernetesObject, RESOURCES } from '../k8s/api.ts';
import { FRONT_SERVICE_PORT } from './front.ts';
import { type Manifest, type Metadata, manifest } from './labels.ts';
import { isTls, objectNames, PORTS, serviceHost } from './names.ts';
import type { Situation } from './types.ts';

type Annotations = Readonly<Record<string, string>>;

/** Annotations of both gating modes; `ingress/nginx/*.yaml` explains them. */
const SOCKET_SECONDS = '36000';
const LARGE_HEADERS = { 'proxy-buffer-size': '32k' };
const ANY_SIZE = { 'proxy-body-size': '0' };
const SOCKETS = { 'proxy-read-timeout': SOCKET_SECONDS, 'proxy-send-timeout': SOCKET_SECONDS };
/** Another front is tried when a node is lost. */
const NEXT_FRONT = { 'proxy-connect-timeout': '2' };
const EVERYTHING = {
  ...ANY_SIZE,
  'proxy-request-buffering': 'off',
  'proxy-buffering': 'off',
  ...LARGE_HEADERS,
  ...SOCKETS,
  ...NEXT_FRONT,
  // Else http://host/svc/ is sent on to https://host/svc, which is no path of ours.
  'preserve-trailing-slash': 'true',
};

const PAGE_PATH = '/browser/[^/]+/cool[.]html';
const SOCKET_PATH = '/cool/(.+/)?ws(/.*)?$';

/** One Ingress for everything and, with gating `AuthUrl`, two for pages and sockets, for which the edge asks the ask port first. */
export function ingressObjects(situation: Situation): readonly Manifest<V1Ingress>[] {
  const { gating, kind } = situation.instance.spec.ingress;
  if (gating === 'None' || kind !== 'Ingress') return [];
  const all = everything(situation);
  return gating === 'AuthUrl' ? [page(situation), socket(situation), all] : [all];
}

function everything(situation: Situation): Manifest<V1Ingress> {
  const names = objectNames(situation.instance.metadata.name);
  return ingress(situation, names.edge, EVERYTHING, path('Prefix', '/', names.component.front, 'http'));
}

function page(situation: Situation): Manifest<V1Ingress> {
  const { edgePage, frontAsk } = objectNames(situation.instance.metadata.name);
  const annotations = {
    ...asking(situation, 'page'),
    // A refused page is answered with the limit page and its 429.
    'custom-http-errors': '403',
    'default-backend': frontAsk,
    ...ANY_SIZE,
    ...LARGE_HEADERS,
    ...NEXT_FRONT,
  };
  return ingress(situation, edgePage, annotations, path('ImplementationSpecific', PAGE_PATH, frontAsk, 'open'));
}

function socket(situation: Situation): Manifest<V1Ingress> {
  const { edgeSocket, frontAsk } = objectNames(situation.instance.metadata.name);
  const annotations = { ...asking(situation, 'ws'), ...ANY_SIZE, ...LARGE_HEADERS, ...SOCKETS, ...NEXT_FRONT };
  return ingress(situation, edgeSocket, annotations, path('ImplementationSpecific', SOCKET_PATH, frontAsk, 'open'));
}

function asking({ instance, settings }: Situation, stage: 'page' | 'ws'): Annotations {
  const host = serviceHost(instance, settings, objectNames(instance.metadata.name).frontAsk);
  return {
    'use-regex': 'true',
    'auth-url': `http://${host}:${PORTS.front.ask}/ask/${stage}`,
    // Without it the edge hands on the client's own X-Original-URI.
    'auth-method': 'GET',
  };
}

function path(pathType: string, value: string, service: string, port: string): V1HTTPIngressPath {
  return { path: value, pathType, backend: { service: { name: service, port: { name: port } } } };
}

/** @param own annotations of ingress-nginx, without their prefix; they win over `spec.ingress.annotations` */
function ingress(situation: Situation, name: string, own: Annotations, rule: V1HTTPIngressPath): Manifest<V1Ingress> {
  const { host, tls, ingress } = situation.instance.spec;
  const ours = Object.entries(own).map(([key, value]) => [`nginx.ingress.kubernetes.io/${key}`, value]);
  const spec = {
    ...className(situation),
    // Without a Secret the edge has a certificate of its own.
    ...(isTls(situation.instance.spec) && {
      tls: [{ hosts: [host], ...(tls.secretName !== undefined && { secretName: tls.secretName }) }],
    }),
    rules: [{ host, http: { paths: [rule] } }],
  };
  const annotations = { ...ingress.annotations, ...Object.fromEntries(ours) };
  return manifest(situation, RESOURCES.ingress, { name, annotations }, { spec });
}

/** Only ingress-nginx can ask through auth-url; if the front asks, any class will do. */
function className({ instance }: Situation): Pick<V1IngressSpec, 'ingressClassName'> {
  const { className, gating } = instance.spec.ingress;
  const name = className ?? (gating === 'AuthUrl' ? 'nginx' : undefined);
  return name === undefined ? {} : { ingressClassName: name };
}

/** gateway.networking.k8s.io/v1 HTTPRoute. */
export interface HttpRoute extends KubernetesObject {
  metadata: Metadata;
  spec: {
    parentRefs: { name: string; namespace?: string; sectionName?: string }[];
    hostnames: string[];
    rules: {
      matches: { path: { type: 'PathPrefix'; value: string } }[];
      timeouts: { request: string; backendRequest: string };
      backendRefs: { name: string; port: number }[];
    }[];
  };
}

/** The HTTPRoute of an instance, if its spec wants one: it leads the whole host to the front. */
export function httpRouteObjects(situation: Situation): readonly HttpRoute[] {
  const { host, ingress } = situation.instance.spec;
  if (ingress.kind !== 'HTTPRoute' || ingress.gating === 'None' || !ingress.gateway) return [];
  const { name, namespace, sectionName } = ingress.gateway;
  const { front } = objectNames(situation.instance.metadata.name).component;
  const spec = {
    parentRefs: [{ name, ...(namespace !== undefined && { namespace }), ...(sectionName && { sectionName }) }],
    hostnames: [host],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix' as const, value: '/' } }],
        // None: the front keeps the limits.
        timeouts: { request: '0s', backendRequest: '0s' },
        backendRefs: [{ name: front, port: FRONT_SERVICE_PORT }],
      },
    ],
  };
  return [manifest<HttpRoute>(situation, RESOURCES.httpRoute, { annotations: ingress.annotations }, { spec })];
}
