import { HttpMethod, type KubeConfig, RequestContext, Watch } from '@kubernetes/client-node';
import { request as send } from 'undici';
import { startDeadline, unlessAborted } from '../../../src/common/net/deadline.ts';
import { collectionPath, type KubernetesObject, objectPath, type Resource } from './api.ts';
import { ApiError, hasStatus, parseRefusal, toUnreachable, UnreachableError } from './api-error.ts';
import { MetadataKubeConfig, metadataAccept, PooledKubeConfig } from './kube-config.ts';

/** etcd's first revision, which no object has: an apply with it can only create. */
const NO_VERSION = '1';

export interface List<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[];
  /** Epoch milliseconds by the API server's clock: the one that wrote the times in the items. */
  time: number;
}

export interface WatchEvent<T> {
  /** With ERROR `object` is a `Status`. */
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T;
}

export interface Selection {
  /** Absent: all namespaces. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Only `metadata` of each object (PartialObjectMetadata). */
  metadataOnly?: boolean | undefined;
}

export interface ListOptions extends Selection {
  limit?: number;
  continue?: string | undefined;
}

export interface WatchOptions extends Selection {
  resourceVersion: string;
  signal: AbortSignal;
}

export interface ApplyOptions {
  /** The field manager. */
  manager: string;
  subresource?: 'status' | 'resize';
  /** Refused with 409 where there is an object of that name. */
  onlyNew?: boolean;
  dryRun?: boolean;
}

export type Client = Pick<ApiClient, 'get' | 'list' | 'watch' | 'create' | 'replace' | 'apply' | 'remove'>;

type Query = Record<string, string | number | boolean | undefined>;

interface Request {
  method: keyof typeof HttpMethod;
  path: string;
  query?: Query;
  accept?: string;
  contentType?: string;
  /** Sent as JSON. */
  body?: unknown;
}

/**
 * A client for any kind of object; docs/decisions/0011-controller.md says why the library's is not used. Everything rejects with an
 * `ApiError` when the server refuses, with an `UnreachableError` when there is no answer.
 */
export class ApiClient {
  readonly #requests: PooledKubeConfig;
  readonly #watches: PooledKubeConfig;
  readonly #timeoutMs: number;

  /** @param options.timeoutMs for a whole request, waiting for credentials and a connection included */
  constructor(config: KubeConfig, { timeoutMs = 12_000 }: { timeoutMs?: number } = {}) {
    this.#requests = new PooledKubeConfig(config);
    this.#watches = new PooledKubeConfig(config);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @returns undefined where the API server says that there is none. A 404 without a reason comes from a proxy, or from a server that
   * starts and does not know the kind yet: it rejects.
   */
  async get<T extends KubernetesObject>(
    resource: Resource,
    namespace: string | undefined,
    name: string,
  ): Promise<T | undefined> {
    try {
      return await this.#object<T>(resource, { method: 'GET', path: objectPath(resource, namespace, name) });
    } catch (error) {
      if (hasStatus(error, 404) && error.reason === 'NotFound') return undefined;
      throw error;
    }
  }

  async list<T extends KubernetesObject>(resource: Resource, options: ListOptions): Promise<List<T>> {
    const { namespace, metadataOnly, ...query } = options;
    const request: Request = {
      method: 'GET',
      path: collectionPath(resource, namespace),
      query,
      ...(metadataOnly && { accept: metadataAccept('PartialObjectMetadataList') }),
    };
    const { value, date } = await this.#send(request);
    const { metadata, items } = toObject(request, value) as Partial<List<T>>;
    // An empty list means that everything is gone.
    if (!metadata?.resourceVersion || !Array.isArray(items ?? [])) throw notJson(request, 'the answer is no list');
    const time = Date.parse(date) || Date.now();
    return { metadata, time, items: (items ?? []).map((item) => withKind<T>(resource, item)) };
  }

  /** Resolves when the server ends the watch; rejects when it refuses, when nothing comes for 30 s, and with what `onEvent` throws. */
  async watch<T extends KubernetesObject>(
    resource: Resource,
    { namespace, metadataOnly, signal, ...options }: WatchOptions,
    onEvent: (event: WatchEvent<T>) => void,
  ): Promise<void> {
    const path = collectionPath(resource, namespace);
    // The library ends watches on which nothing is received for 30 s, and bookmarks come once a minute. Random, so that not all
    // watches are opened again at a time.
    const timeoutSeconds = 20 + Math.floor(8 * Math.random());
    const query: Query = { ...options, allowWatchBookmarks: true, timeoutSeconds };
    const watch = new Watch(metadataOnly ? new MetadataKubeConfig(this.#watches) : this.#watches);
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    let over = false;
    const end = (error: Error | null | undefined): void => {
      over = true;
      // Over HTTP/2 other watches share the connection: those end by themselves.
      if (error?.name === 'TimeoutError') this.#watches.renew();
      if (error) reject(watchError(`watch ${path}`, error));
      else resolve();
    };
    const receive = (type: string, object: T): void => {
      if (over) return;
      try {
        onEvent({ type, object: type === 'ERROR' ? object : withKind<T>(resource, object) } as WatchEvent<T>);
      } catch (error) {
        over = true;
        reject(error);
      }
    };
    const opening = watch.watch(path, query, receive, end);
    opening.catch(end);
    try {
      await unlessAborted(ended, signal);
    } finally {
      over = true;
      opening.then((controller) => controller.abort()).catch(() => undefined);
    }
  }

  create<T extends KubernetesObject>(resource: Resource, body: T): Promise<T> {
    return this.#object<T>(resource, { method: 'POST', path: collectionPath(resource, body.metadata.namespace), body });
  }

  /** PUT: refused with 409 unless `metadata.resourceVersion` is the newest. */
  replace<T extends KubernetesObject>(resource: Resource, body: T): Promise<T> {
    const path = objectPath(resource, body.metadata.namespace, body.metadata.name);
    return this.#object<T>(resource, { method: 'PUT', path, body });
  }

  /** Forced server-side apply. */
  apply<T extends KubernetesObject>(
    resource: Resource,
    object: T,
    { manager, subresource, onlyNew, dryRun }: ApplyOptions,
  ): Promise<T> {
    const { metadata } = object;
    return this.#object<T>(resource, {
      method: 'PATCH',
      path: objectPath(resource, metadata.namespace, metadata.name, subresource),
      query: { fieldManager: manager, force: 'true', dryRun: dryRun ? 'All' : undefined },
      // JSON is YAML.
      contentType: 'application/apply-patch+yaml',
      body: onlyNew ? { ...object, metadata: { ...metadata, resourceVersion: NO_VERSION } } : object,
    });
  }

  /** Deletes the object of that uid, with background propagation. One that is gone is no error. */
  async remove(resource: Resource, namespace: string | undefined, name: string, uid: string): Promise<void> {
    const options = { propagationPolicy: 'Background', preconditions: { uid } };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
    try {
      await this.#send({ method: 'DELETE', path: objectPath(resource, namespace, name), body });
    } catch (error) {
      // 409: another object has the name by now.
      if (!hasStatus(error, 404, 409)) throw error;
    }
  }

  /** Resolves when the API server is ready (`GET /readyz`). */
  async ready(): Promise<void> {
    await this.#send({ method: 'GET', path: '/readyz' });
  }

  /** Cuts all connections: what runs rejects, later requests have new ones. */
  close(): void {
    this.#requests.close();
    this.#watches.close();
  }

  async #object<T extends KubernetesObject>(resource: Resource, request: Request): Promise<T> {
    const { value } = await this.#send(request);
    return withKind(resource, toObject(request, value) as Partial<T>);
  }

  /** @returns the answer's JSON, or its text where it is none, and its header Date */
  async #send(request: Request): Promise<{ value: unknown; date: string }> {
    const called = `${request.method} ${request.path}`;
    const late = (): Error => new UnreachableError(called, 'ETIMEDOUT', `no answer within ${this.#timeoutMs / 1000} s`);
    const { signal, end } = startDeadline(this.#timeoutMs, late);
    try {
      // The wait for credentials does not heed the signal.
      return await unlessAborted(this.#exchange(request, signal), signal);
    } catch (error) {
      const failure = signal.aborted ? signal.reason : toUnreachable(called, error);
      // The connection may be dead.
      if (failure instanceof UnreachableError && failure.code === 'ETIMEDOUT') this.#requests.renew();
      throw failure;
    } finally {
      end();
    }
  }

  async #exchange({ method, path, query = {}, accept, contentType, body }: Request, signal: AbortSignal) {
    const context = new RequestContext(`${this.#requests.getCurrentCluster()?.server}${path}`, HttpMethod[method]);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== '') context.setQueryParam(name, String(value));
    }
    context.setHeaderParam('Accept', accept ?? 'application/json');
    if (body !== undefined) context.setHeaderParam('Content-Type', contentType ?? 'application/json');
    await this.#requests.applySecurityAuthentication(context);
    const dispatcher = context.getDispatcher();
    // The library sends by fetch, which takes more CPU time.
    const answer = await send(context.getUrl(), {
      ...{ method, headers: context.getHeaders(), signal },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(dispatcher && { dispatcher }),
    });
    const text = await answer.body.text();
    const json = tryParse(text);
    if (answer.statusCode >= 200 && answer.statusCode < 300) {
      return { value: json ?? text, date: String(answer.headers['date']) };
    }
    throw parseRefusal(`${method} ${path}`, answer.statusCode, json, String(answer.headers['retry-after'] ?? ''));
  }
}

/** Adds the kind, which items of lists lack, and which is another one for metadata. */
function withKind<T extends KubernetesObject>(resource: Resource, object: Partial<T>): T {
  return { ...object, apiVersion: resource.apiVersion, kind: resource.kind } as T;
}

/** @throws {UnreachableError} for what is no JSON object: a proxy may answer anything */
function toObject(request: Request, value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw notJson(request, 'the answer is no JSON object');
}

function notJson({ method, path }: Request, message: string): UnreachableError {
  return new UnreachableError(`${method} ${path}`, 'ERR_NO_JSON', message);
}

/** The library gives only the status of a refused watch. */
function watchError(called: string, error: Error & { statusCode?: number }): Error {
  if (error.statusCode !== undefined) return new ApiError(called, { status: error.statusCode });
  return error.name === 'TimeoutError'
    ? new UnreachableError(called, 'ETIMEDOUT', 'nothing was received for 30 s')
    : (toUnreachable(called, error) as Error);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
