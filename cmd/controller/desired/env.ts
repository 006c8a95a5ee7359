import type { V1EnvVar } from '@kubernetes/client-node';

/** Variables by their names. */
export type Variables = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Environment variables in the order given. Booleans become 1 and 0 (contract: Configuration); what is undefined or empty,
 * which means the same to the services, is left out. A `$` stays one: the kubelet would expand `$(NAME)`.
 */
export function environment(values: Variables): V1EnvVar[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === '') return [];
    const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
    return [{ name, value: text.replaceAll('$', '$$$$') }];
  });
}
