import { hash } from 'node:crypto';
import type { KubernetesObject } from '../k8s/types.ts';

/** JSON with the members of each object in the order of their names: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** 132 bits of a value's SHA-256, base64url. */
export function hashOf(value: unknown): string {
  return digest(canonicalJson(value));
}

/**
 * Hash of what people and controllers decide about an object: without its status and what the API server counts by
 * itself. Of an object whose content is not known (`metadataOnly`) its resourceVersion stands for it. Members count in
 * their order, which an API server does not change.
 */
export function contentHash(object: KubernetesObject, options: { metadataOnly?: boolean } = {}): string {
  const { resourceVersion, generation: _, managedFields: __, ...metadata } = object.metadata;
  if (options.metadataOnly) return digest(JSON.stringify([metadata.uid, resourceVersion]));
  // A list tells the kind elsewhere.
  const { apiVersion: ___, kind: ____, status: _____, ...content } = object as KubernetesObject & { status?: unknown };
  return digest(JSON.stringify({ ...content, metadata }));
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
