import { hash } from 'node:crypto';
import type { KubernetesObject } from '../k8s/types.ts';

/** On each of our objects: hash of its desired state. If it differs, there may be members to remove. */
export const APPLIED_HASH = 'svc.internal/applied-hash';

/** JSON with the members of each object in the order of their names: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

/** A copy; `JSON.stringify` with a function that sorts takes twice as long. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) copy[name] = inOrder(members[name]);
  return copy;
}

/** The first half of a value's SHA-256, base64url. */
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
  // A slice of a string would keep all of it.
  return hash('sha256', text, 'buffer').toString('base64url', 0, 16);
}
