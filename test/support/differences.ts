import type { KubernetesObject } from '../../cmd/controller/k8s/api.ts';

/** Members that are not the same in two sets of objects: `Kind/name path: before -> after`, as JSON. */
export function findDifferences(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const [old, now] = [flatten(before), flatten(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((id) => {
    const [was, is] = [old.get(id), now.get(id)];
    if (!is) return [`${id} goes`];
    const paths = [...new Set([...(was?.keys() ?? []), ...is.keys()])];
    return paths
      .filter((path) => was?.get(path) !== is.get(path))
      .map((path) => `${id} ${path.slice(1)}: ${was?.get(path) ?? 'none'} -> ${is.get(path) ?? 'none'}`);
  });
}

function flatten(objects: readonly KubernetesObject[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const plain: KubernetesObject[] = JSON.parse(JSON.stringify(objects));
  return new Map(plain.map((object) => [`${object.kind}/${object.metadata.name}`, new Map(listMembers(object))]));
}

/** An element of a list is called by its name, where it has one. */
function listMembers(value: unknown, path = ''): [path: string, value: string][] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    return [[path, JSON.stringify(value)]];
  }
  return Object.entries(value).flatMap(([key, member]) => {
    const name = Array.isArray(value) ? ((member as { name?: string } | null)?.name ?? key) : key;
    return listMembers(member, `${path}.${name}`);
  });
}
