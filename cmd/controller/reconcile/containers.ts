import type { V1ContainerStatus } from '@kubernetes/client-node';
import type { PodTrouble } from './pod-trouble.ts';
import { parseRefusal } from './refusal.ts';

/** Reason of a pod that its database or its bucket keeps from starting. */
export const STORAGE_REFUSED = 'StorageRefused';

const IMAGE_REASONS = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const CONFIG_REASONS = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

/** Advice for an image that cannot be pulled, by the words of the container runtime. */
const PULL_ADVICE: readonly (readonly [words: RegExp, advice: string])[] = [
  [
    /unauthorized|authorization failed|denied|forbidden|\b40[13]\b/i,
    'the registry refuses: check spec.images.pullSecrets',
  ],
  [/not found|manifest unknown|\b404\b/i, 'the registry does not have it: check the name'],
  [
    /no such host|dial tcp|i\/o timeout|connection refused|x509|deadline exceeded/i,
    'the node does not reach the registry: check its name, DNS, proxy and certificate',
  ],
  [/no space left/i, 'the disk of the node is full'],
];
const ANY_ADVICE = 'check the name, and spec.images.pullSecrets for a private registry';

/** Reads from a container's status why it does not run. */
export function containerTrouble(pod: string, container: V1ContainerStatus): PodTrouble | undefined {
  const { state, lastState, image } = container;
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (IMAGE_REASONS.has(reason)) {
    const [, advice] = PULL_ADVICE.find(([words]) => words.test(message)) ?? [undefined, ANY_ADVICE];
    return { reason: 'ImagePullFailed', message: `Pod ${pod} cannot pull ${image}: ${advice}.` };
  }
  if (CONFIG_REASONS.has(reason)) {
    return { reason: 'ContainerRefused', message: `Pod ${pod} cannot start: ${message || reason}.` };
  }
  const ended = state?.terminated ?? lastState?.terminated;
  if (!ended || (reason !== 'CrashLoopBackOff' && !state?.terminated)) return undefined;
  const refusal = parseRefusal(ended.message ?? '');
  if (refusal) {
    const reason = refusal.isOfStorage ? STORAGE_REFUSED : 'ConfigurationRefused';
    return { reason, message: `Pod ${pod} does not start: ${refusal.message}` };
  }
  const how = ended.reason === 'OOMKilled' ? 'it ran out of memory' : `exit code ${ended.exitCode}`;
  return {
    reason: ended.reason === 'OOMKilled' ? 'OutOfMemory' : 'Crashing',
    message: `Pod ${pod} keeps ending (${how}): see kubectl logs --previous ${pod}.`,
  };
}
