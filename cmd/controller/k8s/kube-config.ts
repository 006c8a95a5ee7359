import type { AgentOptions } from 'node:https';
import { type Cluster, type DispatcherOptions, KubeConfig, type RequestContext } from '@kubernetes/client-node';
import { VERSION } from '../../../src/common/version.ts';
import { proxyFor } from './proxy.ts';

type Dispatcher = NonNullable<ReturnType<RequestContext['getDispatcher']>>;

/**
 * Loads the cluster that the variable `KUBECONFIG` names, else the one that this pod runs in.
 * @param root folder below which the service account is mounted
 */
export function loadKubeConfig(root = ''): KubeConfig {
  const config = new KubeConfig();
  if (process.env['KUBECONFIG']) config.loadFromDefault();
  else if (process.env['KUBERNETES_SERVICE_HOST']) config.loadFromCluster(root);
  else throw new Error('neither KUBECONFIG nor, as in a pod, KUBERNETES_SERVICE_HOST is set');
  return withProxy(config, process.env);
}

/** Adds the proxy that the environment names (`HTTPS_PROXY`, `NO_PROXY`) where the kubeconfig names none. */
export function withProxy(config: KubeConfig, environment: Parameters<typeof proxyFor>[1]): KubeConfig {
  const cluster = config.getCurrentCluster();
  if (!cluster?.server) throw new Error('the kubeconfig has no current context with a cluster');
  const proxyUrl = cluster.proxyUrl ?? proxyFor(new URL(cluster.server), environment)?.href;
  return proxyUrl === undefined ? config : withCluster(config, { ...cluster, proxyUrl });
}

/** Returns the same configuration with another current cluster. */
export function withCluster(config: KubeConfig, cluster: Cluster): KubeConfig {
  const copy = new KubeConfig();
  copy.loadFromOptions({ ...config, clusters: [cluster] });
  return copy;
}

/** Returns the namespace of the current context: in a pod, its own. */
export function currentNamespace(config: KubeConfig): string {
  return config.getContextObject(config.getCurrentContext())?.namespace?.trim() || 'default';
}

/**
 * A KubeConfig whose requests share connections: the library makes a dispatcher, and with it a TLS handshake, for each request.
 * Rotated certificates begin a new dispatcher; the old one ends with its last request.
 */
export class PooledKubeConfig extends KubeConfig {
  #dispatcher: Dispatcher | undefined;
  #credentials = '';

  constructor(source: KubeConfig) {
    super();
    this.loadFromOptions(source);
  }

  override createDispatcherOptions(cluster: Cluster | null, agentOptions: AgentOptions): DispatcherOptions {
    const options = super.createDispatcherOptions(cluster, agentOptions);
    const credentials = Object.values(agentOptions).map(String).join('\n');
    if (credentials !== this.#credentials) this.renew();
    this.#credentials = credentials;
    return this.#dispatcher ? { type: 'none' } : options;
  }

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context);
    this.#dispatcher ??= context.getDispatcher();
    if (this.#dispatcher) context.setDispatcher(this.#dispatcher);
    context.setHeaderParam('User-Agent', `svc-controller/${VERSION}`);
  }

  /** Leaves the connections to what runs on them; the next request has a new one. */
  renew(): void {
    void this.#dispatcher?.close();
    this.#dispatcher = undefined;
  }

  /** Cuts all connections. */
  close(): void {
    void this.#dispatcher?.destroy();
    this.#dispatcher = undefined;
  }
}

/** For watches of PartialObjectMetadata: the library's `Watch` has no option for the Accept header. */
export class MetadataKubeConfig extends KubeConfig {
  readonly #source: KubeConfig;

  constructor(source: KubeConfig) {
    super();
    this.loadFromOptions(source);
    this.#source = source;
  }

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await this.#source.applySecurityAuthentication(context);
    context.setHeaderParam('Accept', metadataAccept('PartialObjectMetadata'));
  }
}

/** Returns the media type of objects reduced to their metadata. */
export function metadataAccept(kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList'): string {
  return `application/json;as=${kind};v=v1;g=meta.k8s.io`;
}
