import type { V1ManagedFieldsEntry } from '@kubernetes/client-node';
import { isObject } from '../../../src/common/is-object.ts';
import { MANAGED_BY } from '../desired/labels.ts';
import type { KubernetesObject } from '../k8s/api.ts';

/** Members by their names behind `f:`, as `metadata.managedFields` has them (apimachinery `FieldsV1`). */
export type ManagedFields = Readonly<{ [member: string]: ManagedFields | undefined }>;

/**
 * Returns the fields of an object, as read from the API server, that the controller has applied; undefined when it never has.
 * Labels and annotations tell less: a copy that somebody makes of an object has them as well.
 */
export function appliedFields({ metadata }: Pick<KubernetesObject, 'metadata'>): ManagedFields | undefined {
  const ours = metadata.managedFields?.find(isOurs);
  return ours && ((ours.fieldsV1 ?? {}) as ManagedFields);
}

/**
 * Returns an object whose spec belongs to the controller alone, for a PUT: its next apply then removes all in it that it does
 * not set. Elements that others have put into our lists can make the merged whole invalid, such as a second port of one name.
 * @returns undefined where nobody else owns anything of the spec
 */
export function takeOverSpec(live: KubernetesObject): KubernetesObject | undefined {
  const { managedFields = [] } = live.metadata;
  const [others, kept] = [
    managedFields.filter((entry) => !isOurs(entry) && entry.subresource === undefined),
    managedFields.filter((entry) => !isOurs(entry) && entry.subresource !== undefined),
  ];
  if (!others.some(({ fieldsV1 }) => (fieldsV1 as ManagedFields | undefined)?.['f:spec'])) return undefined;
  const spec = managedFields
    .filter(({ subresource }) => subresource === undefined)
    .map(({ fieldsV1 }) => (fieldsV1 as ManagedFields | undefined)?.['f:spec'] ?? {})
    .reduce<ManagedFields>(mergeFields, {});
  const base = managedFields.find(isOurs) ?? others[0] ?? {};
  const ours: V1ManagedFieldsEntry = {
    ...base,
    ...{ manager: MANAGED_BY, operation: 'Apply', fieldsV1: { ...appliedFields(live), 'f:spec': spec } },
  };
  const withoutSpec = others.map((entry) => {
    const { 'f:spec': _, ...fieldsV1 } = (entry.fieldsV1 ?? {}) as ManagedFields;
    return { ...entry, fieldsV1 };
  });
  return { ...live, metadata: { ...live.metadata, managedFields: [...kept, ...withoutSpec, ours] } };
}

function isOurs({ manager, operation }: V1ManagedFieldsEntry): boolean {
  return manager === MANAGED_BY && operation === 'Apply';
}

function mergeFields(one: ManagedFields, other: ManagedFields): ManagedFields {
  const merged: Record<string, ManagedFields | undefined> = { ...one };
  for (const [name, fields] of Object.entries(other)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(fields) ? mergeFields(before, fields as ManagedFields) : fields;
  }
  return merged;
}
