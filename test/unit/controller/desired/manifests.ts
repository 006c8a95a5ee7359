import { readFileSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';

/** The objects of a file in `ingress/`, which people apply by hand. */
export function manifests(file: string): KubernetesObject[] {
  const text = readFileSync(new URL(`../../../../ingress/${file}`, import.meta.url), 'utf8');
  return (loadAll(text) as (KubernetesObject | null)[]).filter((object) => object !== null);
}

/** An object as far as it says what to do: `metadata` has its name and annotations only. As JSON, as it travels. */
export function essence({ apiVersion, kind, metadata, ...rest }: KubernetesObject): object {
  const { name, annotations } = metadata;
  return JSON.parse(JSON.stringify({ apiVersion, kind, name, annotations, ...rest }));
}
