import { MANAGED_BY } from '../desired/labels.ts';
import type { KubernetesObject } from '../k8s/types.ts';

/** Members by their names behind `f:`, as `metadata.managedFields` has them (apimachinery `FieldsV1`). */
export type ManagedFields = Readonly<{ [member: string]: ManagedFields | undefined }>;

type ManagedFieldsEntries = NonNullable<KubernetesObject['metadata']['managedFields']>;

/**
 * What of an object, as read from the API server, stands there because the controller has applied it. Undefined: it never
 * has. Labels and annotations tell less: a copy that somebody makes of an object has them as well.
 */
export function appliedFields({ metadata }: Pick<KubernetesObject, 'metadata'>): ManagedFields | undefined {
  const ours = metadata.managedFields?.find(
    ({ manager, operation }) => manager === MANAGED_BY && operation === 'Apply',
  );
  return ours && ((ours.fieldsV1 ?? {}) as ManagedFields);
}

/** Who owns what of an object, but for what the controller has set otherwise than by an apply; undefined: it has not. */
export function withoutUpdates({
  metadata: { managedFields = [] },
}: KubernetesObject): ManagedFieldsEntries | undefined {
  const others = managedFields.filter(({ manager, operation }) => manager !== MANAGED_BY || operation !== 'Update');
  return others.length < managedFields.length ? others : undefined;
}
