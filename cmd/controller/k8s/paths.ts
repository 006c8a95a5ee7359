import type { Resource } from './types.ts';

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

/** URLs resolve these, also when they are escaped. */
function isDots(segment: string | undefined): boolean {
  return segment === '.' || segment === '..';
}
