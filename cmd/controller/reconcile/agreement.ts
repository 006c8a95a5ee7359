import type { KubernetesObject } from '../k8s/types.ts';
import { hashOf } from './hash.ts';
import type { Owned, OwnedCache } from './owned.ts';

/** An object as it should be, and the hash of that. */
export interface Wanted {
  object: KubernetesObject;
  hash: string;
}

/**
 * One value for all of an instance's objects, each as it is and as it should be. Where the two were once found to agree,
 * and the value is still the same, nobody need look again: not even a controller that has just started.
 * @returns undefined while one is missing
 */
export function agreementOf(owned: OwnedCache, wanted: readonly Wanted[]): string | undefined {
  const known = wanted.map(({ object }) => owned.find(object));
  if (!known.every((one) => one !== undefined)) return undefined;
  return hashOf(known.map(({ kind, name, uid, content }, index) => [kind, name, uid, content, wanted[index]?.hash]));
}

/** Whether an object was found to agree with what is wanted, and is as it was then. */
export function isAgreed(known: Owned | undefined, hash: string): boolean {
  return known?.agreed?.desired === hash && known.agreed.content === known.content && !known.deleting;
}

/** How an object in the API server differs from what was written, in a sentence; undefined if it does not. */
export function differenceTold({ kind, name, content, agreed }: Owned): string | undefined {
  if (!agreed?.differing || agreed.content !== content) return undefined;
  const paths = agreed.differing.join(', ');
  return `${kind} ${name} in the API server differs from what the controller wrote (${paths}), perhaps because of a webhook; it is left as it is.`;
}
