/** Parts of a spec that need the leave of the cluster's administrator: the members of the chart's value `allow`. */
const FIELDS = [
  'ingressAnnotations',
  'serviceAnnotations',
  'serviceAccountAnnotations',
  'podAnnotations',
  'podLabels',
  'priorityClasses',
  'tolerations',
  'editorParams',
  'secrets',
] as const;
export type PolicyField = (typeof FIELDS)[number];

/** The administrator allows names, or beginnings of names with `*` at their end. */
export type Policy = Readonly<Partial<Record<PolicyField, readonly string[]>>>;

/** @param items `field=name` */
export function parsePolicy(items: readonly string[]): Policy {
  const parsed = items.map((item) => item.split(/=(.*)/s, 2));
  return Object.fromEntries(
    FIELDS.map((field) => [field, parsed.flatMap(([of, name]) => (of === field ? [name] : []))]),
  );
}
