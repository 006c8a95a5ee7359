import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import {
  ConfigError,
  type Environment,
  httpUrlMistakes,
  type ListenAddress,
  parseList,
  parseListen,
  readConfig,
} from '../../src/common/config.ts';
import type { ControllerConfig } from '../../src/common/generated/wire.ts';
import { parsePolicy } from './desired/policy.ts';
import type { ComponentName, Policy } from './desired/types.ts';

/** The controller's configuration, checked and frozen. */
export interface Config {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly listen: ListenAddress;
  /** Identity of this process, and of no other. */
  readonly identity: string;
  readonly leaderElection: boolean;
  readonly leaseNamespace: string | undefined;
  readonly leaseName: string;
  /** The default for an instance that names none. */
  readonly images: Readonly<Record<ComponentName, string>>;
  /** For private registries, where an instance names none. */
  readonly pullSecrets: readonly string[];
  readonly clusterDomain: string;
  /** Empty: each front asks DNS of its own node. */
  readonly clusterDns: string;
  /** The same, or this process's own. Empty: none. */
  readonly dnsAddress: string;
  readonly licenseKeysFile: string | undefined;
  readonly policy: Policy;
  readonly logLevel: ControllerConfig['SVC_LOG_LEVEL'];
  readonly auditTarget: string;
}

/**
 * The configuration from the environment.
 * @param options.resolvConf path of the file that says what the cluster's domain is, and where this process finds DNS
 * @throws {ConfigError} with every mistake, each naming its variable
 */
export function loadConfig(
  environment: Environment,
  { resolvConf = '/etc/resolv.conf' }: { resolvConf?: string } = {},
): Config {
  const { values: env, mistakes, blame } = readConfig<ControllerConfig>('controller-config.json', environment);
  const listen = parseListen(env.SVC_CONTROLLER_LISTEN ?? `${isIPv6(env.SVC_POD_IP ?? '') ? '[::]' : '0.0.0.0'}:8081`);
  blame('SVC_CONTROLLER_LISTEN', listen.mistakes);
  blame('SVC_AUDIT_TARGET', httpUrlMistakes(env.SVC_AUDIT_TARGET));
  const resolver = parseResolvConf(readText(resolvConf));
  const { SVC_CONTROLLER_CLUSTER_DNS: clusterDns = '' } = env;
  if (clusterDns !== '' && !isIP(clusterDns)) blame('SVC_CONTROLLER_CLUSTER_DNS', ['is no IP address']);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.freeze({
    namespaces: parseList(env.SVC_CONTROLLER_NAMESPACES),
    listen: listen.address,
    identity: env.SVC_CONTROLLER_IDENTITY ?? `${hostname()}_${randomBytes(6).toString('hex')}`,
    leaderElection: env.SVC_CONTROLLER_LEADER_ELECTION,
    leaseNamespace: env.SVC_CONTROLLER_LEASE_NAMESPACE,
    leaseName: env.SVC_CONTROLLER_LEASE_NAME,
    images: {
      gate: env.SVC_CONTROLLER_GATE_IMAGE,
      docbuilder: env.SVC_CONTROLLER_DOCBUILDER_IMAGE,
      editor: env.SVC_CONTROLLER_EDITOR_IMAGE,
      front: env.SVC_CONTROLLER_FRONT_IMAGE,
    },
    pullSecrets: parseList(env.SVC_CONTROLLER_PULL_SECRETS),
    clusterDomain: env.SVC_CONTROLLER_CLUSTER_DOMAIN ?? resolver.clusterDomain ?? 'cluster.local',
    clusterDns,
    dnsAddress: clusterDns || (resolver.nameserver ?? ''),
    licenseKeysFile: env.SVC_LICENSE_KEYS_FILE,
    policy: parsePolicy(parseList(env.SVC_CONTROLLER_ALLOW)),
    logLevel: env.SVC_LOG_LEVEL,
    auditTarget: env.SVC_AUDIT_TARGET,
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The cluster's DNS settings in a pod's `/etc/resolv.conf`. */
export interface Resolver {
  nameserver?: string;
  /** From a search list such as `shop.svc.cluster.local svc.cluster.local cluster.local`. */
  clusterDomain?: string;
}

/** Reads resolv.conf(5): the first server and, if a kubelet wrote the file, the cluster's domain. */
export function parseResolvConf(text: string): Resolver {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const nameserver = lines.find(([keyword]) => keyword === 'nameserver')?.[1];
  // The last list counts.
  const search = lines.findLast(([keyword]) => keyword === 'search')?.slice(1) ?? [];
  const services = search.find((domain) => domain.startsWith('svc.'));
  return {
    ...(nameserver !== undefined && { nameserver }),
    ...(services !== undefined && { clusterDomain: services.slice('svc.'.length).replace(/\.$/, '') }),
  };
}
