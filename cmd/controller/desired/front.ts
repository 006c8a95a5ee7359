import { isIPv6 } from 'node:net';
import type { V1ResourceRequirements, V1Service } from '@kubernetes/client-node';
import { frontVariables } from '../../../src/common/front.ts';
import type { KubernetesObject } from '../k8s/api.ts';
import type { Manifest } from './labels.ts';
import { objectNames, PORTS, serviceHost } from './names.ts';
import { anyAddress, environment, type PodParts, scratchMount } from './pod.ts';
import { isShared } from './storage.ts';
import type { Situation } from './types.ts';
import { deployment, disruptionBudget, httpProbes, LEAVING, rolling, service, serviceAccount } from './workload.ts';

/** Port of the Service `<instance>-front`. */
export const FRONT_SERVICE_PORT = 80;

/** Open sockets stay open for so long after a stop. Cluster autoscalers wait no longer. */
const GRACE_PERIOD_SECONDS = 600;

/** A lost node is noticed 25 s after its last packet. Pod Security's profile restricted allows these. */
const KEEPALIVE = [
  { name: 'net.ipv4.tcp_keepalive_time', value: '10' },
  { name: 'net.ipv4.tcp_keepalive_intvl', value: '5' },
  { name: 'net.ipv4.tcp_keepalive_probes', value: '3' },
];

/** An open socket takes two buffers of 32 KiB, and a little. */
const RESOURCES: V1ResourceRequirements = {
  requests: { cpu: '100m', memory: '64Mi' },
  limits: { cpu: '2', memory: '512Mi' },
};

/** Addresses of an edge in the cluster (RFC 1918, RFC 6598, RFC 4193); only these reach a Service of type ClusterIP. */
const INSIDE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];

/** The front: its pods, the Service that the edge connects to, and one more for an edge that asks the gate itself. */
export function frontObjects(situation: Situation): readonly KubernetesObject[] {
  const { instance } = situation;
  const { type, annotations, nodePort } = instance.spec.front.service;
  const { gating } = instance.spec.ingress;
  const fixed = type !== 'ClusterIP' && nodePort !== undefined && { nodePort };
  return [
    serviceAccount(situation, 'front'),
    service(situation, 'front', {
      type,
      annotations,
      ports: [{ name: 'http', port: FRONT_SERVICE_PORT, targetPort: 'http', ...fixed }],
    }),
    ...(gating === 'AuthUrl' ? [edgeService(situation)] : []),
    disruptionBudget(situation, 'front'),
    deployment(situation, 'front', rolling(instance.spec.front.replicas), frontPod(situation)),
  ];
}

/**
 * The ports of an edge that asks the gate itself. They have a Service of their own, since the other one may be open to the
 * outside. Ask is the first port: from that ingress-nginx takes its page for errors.
 */
function edgeService(situation: Situation): Manifest<V1Service> {
  const { frontAsk } = objectNames(situation.instance.metadata.name);
  const { open, ask } = PORTS.front;
  return service(situation, 'front', {
    name: frontAsk,
    ports: [
      { name: 'ask', port: ask, targetPort: 'ask' },
      { name: 'open', port: open, targetPort: 'open' },
    ],
  });
}

function frontPod(situation: Situation): PodParts {
  const { http, open, ask } = PORTS.front;
  return {
    container: {
      env: environment(variables(situation)),
      ports: [
        { name: 'http', containerPort: http, protocol: 'TCP' },
        { name: 'open', containerPort: open, protocol: 'TCP' },
        { name: 'ask', containerPort: ask, protocol: 'TCP' },
      ],
      ...httpProbes('/ready', 'ask', { start: 60 }),
      ...LEAVING,
    },
    resources: RESOURCES,
    mounts: [scratchMount('tmp', '/tmp', '256Mi')],
    terminationGracePeriodSeconds: GRACE_PERIOD_SECONDS,
    spread: true,
    movable: true,
    security: { pod: { sysctls: KEEPALIVE } },
  };
}

/**
 * Variables of `ingress/front/nginx.conf.template`. nginx has no search list, so names are whole, and looks them up again: with an
 * outdated address it would take the gate for dead, and let everybody in.
 */
function variables({ instance, settings }: Situation): Record<string, string> {
  const names = objectNames(instance.metadata.name);
  const { front } = instance.spec;
  const upstream = (service: string, port: number): string =>
    `${serviceHost(instance, settings, service)}:${port} resolve`;
  return frontVariables({
    prefix: '/tmp',
    directory: '/opt/svc/front',
    address: anyAddress(settings),
    port: PORTS.front.http,
    openPort: PORTS.front.open,
    askPort: PORTS.front.ask,
    gate: upstream(names.component.gate, PORTS.gate.http),
    gateInternal: upstream(isShared(instance.spec) ? names.component.gate : names.gateInternal, PORTS.gate.internal),
    docbuilder: upstream(names.component.docbuilder, PORTS.docbuilder.http),
    editor: upstream(names.component.editor, PORTS.editor.http),
    resolver: isIPv6(settings.clusterDns) ? `[${settings.clusterDns}]` : settings.clusterDns,
    trustedEdges: front.trustedEdges ?? (front.service.type === 'ClusterIP' ? INSIDE : []),
    // Clients may have private addresses too, and could then name any other client in the header.
    trustedChain: front.trustedEdges !== undefined,
    requestsPerAddress: front.requestsPerAddress,
    requests: front.requests,
  });
}
