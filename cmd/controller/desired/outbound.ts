import type { Variables } from './env.ts';
import type { Instance } from './types.ts';
import { configMount, type Mount } from './volumes.ts';

const CA_PATH = '/run/svc/ca';
const CA_FILE = 'ca.crt';

/** The way in which gate and DocBuilder reach the outside, apart from the hosts that are allowed. */
export function outboundVariables({ spec: { outbound } }: Instance): Variables {
  return {
    SVC_FETCH_PROXY: outbound.proxy,
    // Node's own: authorities besides those that it knows.
    NODE_EXTRA_CA_CERTS: outbound.caBundle && `${CA_PATH}/${CA_FILE}`,
  };
}

/** The authorities that the spec names. */
export function outboundFiles({ spec: { outbound } }: Instance): Mount[] {
  if (!outbound.caBundle) return [];
  const { configMapName, key } = outbound.caBundle;
  const mount = configMount('ca', CA_PATH, configMapName);
  const configMap = { ...mount.source.configMap, items: [{ key, path: CA_FILE }] };
  return [{ ...mount, source: { configMap } }];
}
