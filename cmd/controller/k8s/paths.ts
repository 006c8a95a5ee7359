import type { ListOptions, Resource } from './types.ts';

/** Path of all objects of a kind, in a namespace or, without one, in all. */
export function collectionPath({ apiVersion, plural, namespaced }: Resource, namespace?: string): string {
  if (isDots(namespace)) throw new TypeError(`no namespace ${namespace}`);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const where = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${where}/${plural}`;
}

/**
 * Path of one object.
 * @throws {TypeError} without the namespace of a namespaced kind, or without a name: the path would mean all of them;
 * for `.` and `..`, which would lead elsewhere
 */
export function objectPath(
  resource: Resource,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  if (name === '' || isDots(name) || (resource.namespaced && !namespace))
    throw new TypeError(`no ${resource.kind} '${namespace ?? ''}/${name}'`);
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Query of a list or, with `watch`, of a watch; absent values are left out. */
export function selectionQuery(options: ListOptions, watch?: { timeoutSeconds: number }): Record<string, string> {
  const { labelSelector, fieldSelector, limit, continue: next, resourceVersion } = options;
  const query: Record<string, string | undefined> = {
    labelSelector,
    fieldSelector,
    limit: limit?.toString(),
    continue: next,
    resourceVersion,
    ...(watch && { watch: '1', allowWatchBookmarks: 'true', timeoutSeconds: watch.timeoutSeconds.toString() }),
  };
  return Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** URLs resolve these, also when they are escaped. */
function isDots(segment: string | undefined): boolean {
  return segment === '.' || segment === '..';
}
