/** The table of docs/decisions/0011-controller.md, Network, as pairs: `<who> > <component>:<port>`, all of one instance. */
export const INSIDE: readonly string[] = [
  'front > gate:8080',
  'front > gate:8081',
  'editor > gate:8081',
  'front > docbuilder:8080',
  'front > editor:9980',
  'gate > editor:9980',
];

/** With gating AuthUrl. */
export const EDGE: readonly string[] = ['the edge > front:8081', 'the edge > front:8082'];

/** Ports of ours, and others that pods like to have. */
export const TRIED_PORTS: readonly number[] = [80, 8080, 8081, 8082, 9980, 10_250];

/**
 * Whoever may reach outside at all may ask for a page, as from anywhere. An editor and a front may not.
 * @param strangers those who are no pods of the instance
 */
export function publicPairs(strangers: readonly string[]): string[] {
  return [...strangers, 'gate', 'docbuilder'].map((name) => `${name} > front:8080`);
}
