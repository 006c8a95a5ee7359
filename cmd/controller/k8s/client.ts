import { ApiError, UnreachableError } from './api-error.ts';
import type { Connection } from './connection.ts';
import { BrokenLines, jsonLines } from './json-lines.ts';
import { collectionPath, objectPath, selectionQuery } from './paths.ts';
import { createTransport, type Exchange } from './transport.ts';
import type {
  Client,
  KubernetesObject,
  List,
  ListOptions,
  Resource,
  Selection,
  WatchEvent,
  WatchOptions,
} from './types.ts';

export interface ClientOptions {
  /**
   * Milliseconds for a whole request, waiting for a connection included; of a watch, until it is open. Default 12,000.
   */
  timeoutMs?: number;
  /** Connections for requests; each watch has one of its own besides. Default 16. */
  connections?: number;
}

/** No object has this resourceVersion, as etcd's first revision is that of its empty self: an apply with it can only create. */
const NO_VERSION = '1';

export interface ApiClient extends Client {
  /** Resolves when the API server says that it is ready (`GET /readyz`), rejects when not or not in time. */
  ready(): Promise<void>;
  /**
   * Cuts the connections for requests, as after a black hole, in which they die without a sign. What runs is sent again
   * or rejects.
   */
  reconnect(): void;
  /** Cuts all connections; what runs rejects. */
  close(): void;
}

/** Lease and watchdog get a client of their own with a short time limit, so that a busy controller keeps its lease. */
export function createClient(connection: Connection, options: ClientOptions = {}): ApiClient {
  const transport = createTransport(connection, {
    timeoutMs: options.timeoutMs ?? 12_000,
    connections: options.connections ?? 16,
  });

  async function object<T extends KubernetesObject>(resource: Resource, exchange: Exchange): Promise<T> {
    return typed(resource, membersOf(exchange, await transport.request(exchange)) as Partial<T>);
  }

  return {
    async get<T extends KubernetesObject>(
      resource: Resource,
      namespace: string | undefined,
      name: string,
      selection: Pick<Selection, 'metadataOnly'> = {},
    ) {
      const accept = acceptOf(selection, 'PartialObjectMetadata');
      try {
        return await object<T>(resource, { method: 'GET', path: objectPath(resource, namespace, name), accept });
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },

    async list<T extends KubernetesObject>(resource: Resource, selection: ListOptions) {
      const exchange: Exchange = {
        method: 'GET',
        path: collectionPath(resource, selection.namespace),
        query: selectionQuery(selection),
        accept: acceptOf(selection, 'PartialObjectMetadataList'),
      };
      const { metadata, items } = membersOf(exchange, await transport.request(exchange)) as Partial<List<T>>;
      // An empty list means that everything is gone, so it had better be one.
      if (!metadata?.resourceVersion || !Array.isArray(items ?? [])) throw noAnswer(exchange, 'the answer is no list');
      return { metadata, items: (items ?? []).map((item) => typed<T>(resource, item)) };
    },

    async *watch<T extends KubernetesObject>(resource: Resource, options: WatchOptions) {
      const { signal, timeoutSeconds, onOpen } = options;
      const exchange: Exchange = {
        method: 'GET',
        path: collectionPath(resource, options.namespace),
        query: selectionQuery(options, { timeoutSeconds }),
        accept: acceptOf(options, 'PartialObjectMetadata'),
      };
      const answer = await transport.open(exchange, signal);
      const cut = (): void => void answer.destroy(signal.reason);
      signal.addEventListener('abort', cut, { once: true });
      try {
        onOpen?.();
        for await (const value of jsonLines(answer)) {
          const event = membersOf(exchange, value) as WatchEvent<T>;
          yield event.type === 'ERROR' ? event : { ...event, object: typed<T>(resource, event.object) };
        }
      } catch (error) {
        throw signal.aborted ? signal.reason : toUnreachable(exchange, error);
      } finally {
        signal.removeEventListener('abort', cut);
        answer.destroy();
      }
    },

    create: (resource, body) =>
      object(resource, { method: 'POST', path: collectionPath(resource, body.metadata.namespace), body }),

    replace: (resource, body) =>
      object(resource, {
        method: 'PUT',
        path: objectPath(resource, body.metadata.namespace, body.metadata.name),
        body,
      }),

    apply: (resource, given, { manager, subresource, onlyNew }) => {
      const { metadata } = given;
      const body = onlyNew ? { ...given, metadata: { ...metadata, resourceVersion: NO_VERSION } } : given;
      return object(resource, {
        method: 'PATCH',
        path: objectPath(resource, metadata.namespace, metadata.name, subresource),
        query: { fieldManager: manager, force: 'true' },
        // JSON is YAML.
        contentType: 'application/apply-patch+yaml',
        body,
      });
    },

    async remove(resource, namespace, name, uid) {
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: { uid },
      };
      try {
        await transport.request({ method: 'DELETE', path: objectPath(resource, namespace, name), body });
      } catch (error) {
        // 409: another object has the name by now.
        if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error;
      }
    },

    async ready() {
      await transport.request({ method: 'GET', path: '/readyz' });
    },

    reconnect: transport.reconnect,
    close: transport.close,
  };
}

function acceptOf({ metadataOnly }: Selection, as: string): string {
  return metadataOnly ? `application/json;as=${as};v=v1;g=meta.k8s.io` : 'application/json';
}

/** Items of a list name no kind, and those of metadata the wrong one. */
function typed<T extends KubernetesObject>(resource: Resource, object: Partial<T>): T {
  return { ...object, apiVersion: resource.apiVersion, kind: resource.kind } as T;
}

/** Something between here and the API server may answer anything with a 200. */
function membersOf(exchange: Exchange, value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw noAnswer(exchange, 'the answer is no JSON object');
}

/**
 * The API server says that there is no such object. A 404 without that word comes from something in between, or from a
 * server that starts and does not know the kind yet: an object may well be there.
 */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.reason === 'NotFound';
}

function noAnswer({ method, path }: Exchange, message: string): UnreachableError {
  return new UnreachableError(`${method} ${path}`, 'ERR_NO_JSON', message);
}

function toUnreachable(exchange: Exchange, error: unknown): UnreachableError {
  if (error instanceof UnreachableError) return error;
  const { code = 'ECONNRESET', message } = error as NodeJS.ErrnoException;
  if (error instanceof BrokenLines) return noAnswer(exchange, message);
  return new UnreachableError(`${exchange.method} ${exchange.path}`, code, message);
}
