import {
  HttpMethod,
  IsomorphicFetchHttpLibrary,
  type KubeConfig,
  RequestContext,
  Watch,
} from '@kubernetes/client-node';
import { startDeadline, unlessAborted } from '../../../src/common/net/deadline.ts';
import { ApiError, parseRefusal, toUnreachable, UnreachableError } from './api-error.ts';
import { MetadataKubeConfig, metadataAccept, PooledKubeConfig } from './kube-config.ts';
import { collectionPath, objectPath } from './paths.ts';
import type {
  ApplyOptions,
  Client,
  KubernetesObject,
  List,
  ListOptions,
  Resource,
  Selection,
  WatchEvent,
  WatchOptions,
} from './types.ts';

/**
 * A watch lasts between these two: below 30 s, after which the library ends one on which nothing was received, as a bookmark
 * comes once a minute only; not all as long, or they would all be opened again at a time.
 */
const WATCH_SECONDS = [20, 27] as const;
/** No object has this resourceVersion, as etcd's first revision is that of its empty self: an apply with it can only create. */
const NO_VERSION = '1';

interface Request {
  method: keyof typeof HttpMethod;
  path: string;
  query?: Record<string, string | number | undefined>;
  accept?: string;
  contentType?: string;
  /** Sent as JSON. */
  body?: unknown;
}

/**
 * Any kind of object over the library's request layer. `KubernetesObjectApi` is not used: it knows no subresource and no
 * PartialObjectMetadata, asks for the paths of each group first, and its serializer drops members that it does not know.
 */
export class ApiClient implements Client {
  readonly #requests: PooledKubeConfig;
  readonly #watches: PooledKubeConfig;
  readonly #http = new IsomorphicFetchHttpLibrary();
  readonly #closing = new AbortController();
  readonly #timeoutMs: number;

  /**
   * Lease and watchdog have a client of their own with a short time limit, so that a busy controller keeps its Lease.
   * @param options.timeoutMs for a whole request, waiting for credentials and a connection included
   */
  constructor(config: KubeConfig, { timeoutMs = 12_000 }: { timeoutMs?: number } = {}) {
    this.#requests = new PooledKubeConfig(config);
    this.#watches = new PooledKubeConfig(config);
    this.#timeoutMs = timeoutMs;
  }

  async get<T extends KubernetesObject>(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    { metadataOnly }: Pick<Selection, 'metadataOnly'> = {},
  ): Promise<T | undefined> {
    const accept = metadataOnly && metadataAccept('PartialObjectMetadata');
    try {
      const path = objectPath(resource, namespace, name);
      return await this.#object<T>(resource, { method: 'GET', path, ...(accept && { accept }) });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubernetesObject>(resource: Resource, options: ListOptions): Promise<List<T>> {
    const request: Request = {
      method: 'GET',
      path: collectionPath(resource, options.namespace),
      query: toQuery(options),
      ...(options.metadataOnly && { accept: metadataAccept('PartialObjectMetadataList') }),
    };
    const { metadata, items } = toObject(request, await this.#send(request)) as Partial<List<T>>;
    // An empty list means that everything is gone, so it had better be one.
    if (!metadata?.resourceVersion || !Array.isArray(items ?? [])) throw notJson(request, 'the answer is no list');
    return { metadata, items: (items ?? []).map((item) => withKind<T>(resource, item)) };
  }

  async watch<T extends KubernetesObject>(
    resource: Resource,
    options: WatchOptions,
    onEvent: (event: WatchEvent<T>) => void,
  ): Promise<void> {
    const { signal, onOpen } = options;
    const path = collectionPath(resource, options.namespace);
    const query = { ...toQuery(options), allowWatchBookmarks: true, timeoutSeconds: watchSeconds() };
    const watch = new Watch(options.metadataOnly ? new MetadataKubeConfig(this.#watches) : this.#watches);
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    let over = false;
    const opening = watch.watch(
      path,
      query,
      (type, object) => {
        if (over) return;
        try {
          onEvent({ type, object: type === 'ERROR' ? object : withKind<T>(resource, object) } as WatchEvent<T>);
        } catch (error) {
          reject(error);
        }
      },
      (error) => {
        over = true;
        // The connection is dead, or one of HTTP/2 that other watches share: those end by themselves.
        if (error?.name === 'TimeoutError') this.#watches.renew();
        if (error) reject(watchError(`watch ${path}`, error));
        else resolve();
      },
    );
    opening.catch((error) => reject(watchError(`watch ${path}`, error)));
    try {
      await unlessAborted(Promise.race([opening, ended]), signal);
      if (!over) onOpen?.();
      await unlessAborted(ended, signal);
    } finally {
      over = true;
      opening.then((controller) => controller.abort()).catch(() => undefined);
    }
  }

  create<T extends KubernetesObject>(resource: Resource, body: T): Promise<T> {
    return this.#object<T>(resource, { method: 'POST', path: collectionPath(resource, body.metadata.namespace), body });
  }

  replace<T extends KubernetesObject>(resource: Resource, body: T): Promise<T> {
    const path = objectPath(resource, body.metadata.namespace, body.metadata.name);
    return this.#object<T>(resource, { method: 'PUT', path, body });
  }

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

  async remove(resource: Resource, namespace: string | undefined, name: string, uid: string): Promise<void> {
    const options = { propagationPolicy: 'Background', preconditions: { uid } };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
    try {
      await this.#send({ method: 'DELETE', path: objectPath(resource, namespace, name), body });
    } catch (error) {
      // 409: another object has the name by now.
      if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error;
    }
  }

  /** Resolves when the API server says that it is ready (`GET /readyz`), rejects when not or not in time. */
  async ready(): Promise<void> {
    await this.#send({ method: 'GET', path: '/readyz' });
  }

  /** Cuts all connections, as after a black hole, in which they die without a sign. What runs rejects. */
  reconnect(): void {
    this.#requests.reconnect();
    this.#watches.reconnect();
  }

  close(): void {
    this.#closing.abort(new UnreachableError('client', 'ECANCELED', 'closed'));
    this.reconnect();
  }

  async #object<T extends KubernetesObject>(resource: Resource, request: Request): Promise<T> {
    return withKind(resource, toObject(request, await this.#send(request)) as Partial<T>);
  }

  /**
   * Sends a request.
   * @returns its answer's JSON, or its text where it is none
   * @throws {ApiError | UnreachableError}
   */
  async #send(request: Request): Promise<unknown> {
    const called = `${request.method} ${request.path}`;
    const late = (): Error => new UnreachableError(called, 'ETIMEDOUT', `no answer within ${this.#timeoutMs / 1000} s`);
    const { signal, end } = startDeadline(this.#timeoutMs, late, this.#closing.signal);
    try {
      // The wait for credentials does not see the signal itself.
      return await unlessAborted(this.#exchange(request, signal), signal);
    } catch (error) {
      const failure = signal.aborted ? signal.reason : toUnreachable(called, error);
      // The connection may be dead, and then the next requests on it are lost as well.
      if (failure instanceof UnreachableError && failure.code === 'ETIMEDOUT') this.#requests.renew();
      throw failure;
    } finally {
      end();
    }
  }

  async #exchange({ method, path, query = {}, accept, contentType, body }: Request, signal: AbortSignal) {
    const context = new RequestContext(this.#serverUrl() + path, HttpMethod[method]);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== '') context.setQueryParam(name, String(value));
    }
    context.setHeaderParam('Accept', accept ?? 'application/json');
    if (body !== undefined) {
      context.setHeaderParam('Content-Type', contentType ?? 'application/json');
      context.setBody(JSON.stringify(body));
    }
    context.setSignal(signal);
    await this.#requests.applySecurityAuthentication(context);
    const answer = await this.#http.send(context).toPromise();
    const text = await answer.body.text();
    const json = tryParse(text);
    if (answer.httpStatusCode >= 200 && answer.httpStatusCode < 300) return json ?? text;
    throw parseRefusal(`${method} ${path}`, answer.httpStatusCode, json, answer.headers['retry-after']);
  }

  #serverUrl(): string {
    return this.#requests.getCurrentCluster()?.server ?? '';
  }
}

function toQuery(options: ListOptions): Record<string, string | number | undefined> {
  const { labelSelector, fieldSelector, limit, continue: next, resourceVersion } = options;
  return { labelSelector, fieldSelector, limit, continue: next, resourceVersion };
}

function watchSeconds(): number {
  const [low, high] = WATCH_SECONDS;
  return low + Math.floor(Math.random() * (high - low + 1));
}

/** Adds the kind: items of a list name none, and those of metadata the wrong one. */
function withKind<T extends KubernetesObject>(resource: Resource, object: Partial<T>): T {
  return { ...object, apiVersion: resource.apiVersion, kind: resource.kind } as T;
}

/** @throws {UnreachableError} for what is no JSON object: something between here and the API server may answer anything */
function toObject(request: Request, value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw notJson(request, 'the answer is no JSON object');
}

/**
 * Returns whether the API server says that there is no such object. A 404 without that reason comes from something in between,
 * or from a server that starts and does not know the kind yet: an object may well be there.
 */
function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.reason === 'NotFound';
}

function notJson({ method, path }: Request, message: string): UnreachableError {
  return new UnreachableError(`${method} ${path}`, 'ERR_NO_JSON', message);
}

/** The library tells of a refused watch only its status. */
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
