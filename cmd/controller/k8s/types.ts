/** Metadata of every object of the API (apimachinery `ObjectMeta`), as far as a controller looks at it. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Tells who has set which fields. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  subresource?: string;
  fieldsV1?: object;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Any object of the API. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** A kind and where the API has it. */
export interface Resource {
  /** `v1`, or group and version: `apps/v1`. */
  apiVersion: string;
  kind: string;
  /** As in paths: `deployments`. */
  plural: string;
  namespaced: boolean;
}

export interface List<T> {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: T[];
}

export interface WatchEvent<T> {
  /** An ERROR carries a `Status` in place of an object. */
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T;
}

export interface Selection {
  /** Absent: all namespaces. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /**
   * Only `metadata` of each object (PartialObjectMetadata), so that no content travels but what somebody has put into
   * annotations, as `kubectl apply` without `--server-side` does with all of it.
   */
  metadataOnly?: boolean | undefined;
}

export interface ListOptions extends Selection {
  /** Objects of a page. */
  limit?: number;
  continue?: string | undefined;
  /** `0`: from the API server's cache, whatever age. */
  resourceVersion?: string;
}

export interface WatchOptions extends Selection {
  resourceVersion: string;
  signal: AbortSignal;
  /** Told when the server has accepted the watch. */
  onOpen?: () => void;
}

export interface ApplyOptions {
  /** The field manager. */
  manager: string;
  /** Only what is below this subresource. */
  subresource?: 'status' | 'resize';
  /** Refused with 409 where there is an object of that name: in one request, so that nobody can come between. */
  onlyNew?: boolean;
  /** Nothing is written; the answer is what the object would become. */
  dryRun?: boolean;
}

/**
 * The API server. Everything rejects with an `ApiError` when the server refuses, with an `UnreachableError` when it
 * cannot be reached.
 */
export interface Client {
  /**
   * @param options.metadataOnly as in a `Selection`
   * @returns undefined where there is none, in the API server's own words.
   */
  get<T extends KubernetesObject>(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    options?: Pick<Selection, 'metadataOnly'>,
  ): Promise<T | undefined>;
  list<T extends KubernetesObject>(resource: Resource, options: ListOptions): Promise<List<T>>;
  /**
   * Resolves when the server ends the watch; rejects when it refuses, when the connection breaks or falls silent, and with what
   * `onEvent` throws.
   */
  watch<T extends KubernetesObject>(
    resource: Resource,
    options: WatchOptions,
    onEvent: (event: WatchEvent<T>) => void,
  ): Promise<void>;
  create<T extends KubernetesObject>(resource: Resource, object: T): Promise<T>;
  /** PUT: refused with 409 unless `metadata.resourceVersion` is the newest. */
  replace<T extends KubernetesObject>(resource: Resource, object: T): Promise<T>;
  /** Server-side apply, forced: what others set in our fields is taken over. */
  apply<T extends KubernetesObject>(resource: Resource, object: T, options: ApplyOptions): Promise<T>;
  /** With background propagation, and only the object of that uid. One that is gone is no error. */
  remove(resource: Resource, namespace: string | undefined, name: string, uid: string): Promise<void>;
}
