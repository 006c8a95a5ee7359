import type { V1Secret } from '@kubernetes/client-node';
import type { Policy } from '../desired/allowed.ts';
import { KIND } from '../desired/names.ts';
import { isAllowed } from '../desired/policy.ts';
import type { KubernetesObject } from '../k8s/api.ts';
import type { Trouble } from './ownership.ts';

/** Label of a Secret whose value is the name of the one instance that may use it. */
const LABEL = 'svc.internal/instance';
/** Type of a Secret that every instance of its namespace may use. */
const TYPE = 'svc.internal/secrets';

/**
 * Says why an instance does not get the content of a Secret. Whoever writes specs chooses the images of the pods, too, and
 * would otherwise read any Secret with the controller's rights. One that another instance owns is never for this one.
 * @param field that names the Secret
 */
export function permissionTrouble(
  field: string,
  secret: V1Secret & KubernetesObject,
  instance: string,
  policy: Policy,
): Trouble | undefined {
  const { name, labels, ownerReferences = [] } = secret.metadata;
  const others = ownerReferences.some(({ kind, controller }) => kind === KIND && controller);
  const meant = secret.type === TYPE || labels?.[LABEL] === instance || isAllowed(policy, 'secrets', name);
  if (meant && !others) return undefined;
  const message = others
    ? `Secret ${name}, which ${field} names, belongs to another ${KIND}: name one of your own.`
    : `Secret ${name}, which ${field} names, does not say that it is for this instance: ` +
      `kubectl label secret ${name} ${LABEL}=${instance}, or create it with --type=${TYPE}.`;
  return { reason: 'SecretNotMeant', stalled: true, message };
}
