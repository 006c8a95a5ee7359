import { RESOURCES } from '../../../../cmd/controller/k8s/api.ts';
import { ApiClient } from '../../../../cmd/controller/k8s/client.ts';
import { Reflector } from '../../../../cmd/controller/k8s/reflector.ts';
import { parseEdgeObject } from '../../../../cmd/controller/reconcile/edge.ts';
import { systemClock } from '../../../../src/common/clock.ts';
import { giveAddress } from '../../../support/controller.ts';
import { readKubeConfig } from '../../../support/kubeconfig.ts';
import type { Cluster } from '../cluster.ts';

/**
 * Stands in for the ingress controller that the cluster has none of: it gives each Ingress an address, and leads nobody
 * anywhere. The tests come through a NodePort.
 * @returns what ends it
 */
export async function startEdge({ kubeconfig }: Cluster): Promise<() => void> {
  const client = new ApiClient(readKubeConfig(kubeconfig));
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const reflector = new Reflector({
    ...{ client, clock: systemClock, log },
    resource: RESOURCES.ingress,
    onEvent({ type, object }) {
      if (type === 'DELETED' || parseEdgeObject(object)?.taken) return;
      // One that was deleted meanwhile needs none.
      giveAddress(client, object).catch(() => undefined);
    },
  });
  return () => {
    reflector.stop();
    client.close();
  };
}
