import { isShared } from '../desired/shared-store.ts';
import type { ComponentName, Instance } from '../desired/types.ts';
import type { Finding } from './conditions.ts';
import { STORAGE_REFUSED } from './containers.ts';
import type { ComponentState } from './readiness.ts';

/** `StorageReady`, which instances have whose documents are in a database and a bucket. */
export function storageFindings(
  { spec }: Pick<Instance, 'spec'>,
  { gate, docbuilder }: Readonly<Record<ComponentName, ComponentState>>,
): Finding[] {
  if (!isShared(spec)) return [];
  const refused = [gate, docbuilder].find(({ pods }) => pods?.reason === STORAGE_REFUSED)?.pods;
  if (refused) {
    const { reason, message } = refused;
    return [{ type: 'StorageReady', status: 'False', reason, message }];
  }
  if (gate.rollout?.available && docbuilder.rollout?.available) {
    const message = 'Gate and DocBuilder have started with the database and the bucket.';
    return [{ type: 'StorageReady', status: 'True', reason: 'Accepted', message }];
  }
  const message = 'Gate and DocBuilder have not all started with the database and the bucket yet.';
  return [{ type: 'StorageReady', status: 'Unknown', reason: 'Progressing', message }];
}
