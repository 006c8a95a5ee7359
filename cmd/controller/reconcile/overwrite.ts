import { isObject } from '../../../src/common/is-object.ts';
import type { KubernetesObject } from '../k8s/types.ts';

type Members = Readonly<Record<string, unknown>>;

/** Members of which one shuts out another, by kind: what others have put beside ours has to go. */
const WHOLE: Readonly<Record<string, string>> = { Deployment: 'strategy', PodDisruptionBudget: 'spec' };

/**
 * The live object with every member that `desired` sets as `desired` has it, lists as a whole; for a PUT. What others
 * have put into our lists is lost, other members of theirs stay.
 */
export function overwritten(desired: KubernetesObject, live: KubernetesObject): KubernetesObject {
  const [ours, theirs] = [desired, live] as unknown as [Members, Members];
  return merged(ours, theirs, WHOLE[desired.kind]) as unknown as KubernetesObject;
}

function merged(desired: Members, live: Members, whole: string | undefined): Members {
  const result: Record<string, unknown> = { ...live };
  for (const [name, value] of Object.entries(desired)) {
    const other = live[name];
    const deep = name !== whole && isObject(value) && isObject(other);
    if (value !== undefined) result[name] = deep ? merged(value, other, whole) : value;
  }
  return result;
}
