import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../k8s/types.ts';

/** JSON with the members of each object in the order of their names: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** 128 bits of a value's SHA-256, base64url. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest().subarray(0, 16).toString('base64url');
}

/**
 * Hash of what people and controllers decide about an object: without its status and what the API server counts by
 * itself. Of an object whose content is not known (`metadataOnly`) its resourceVersion stands for it.
 */
export function contentHash(object: KubernetesObject, options: { metadataOnly?: boolean } = {}): string {
  const { resourceVersion, generation: _, managedFields: __, ...metadata } = object.metadata;
  if (options.metadataOnly) return hashOf([metadata.uid, resourceVersion]);
  const { status: ___, ...content } = object as KubernetesObject & { status?: unknown };
  return hashOf({ ...content, metadata });
}
