import { startCanary } from '../../../support/canary.ts';
import { callbackReceiver } from '../../../support/gate-receiver.ts';
import { ORIGINAL } from '../../../support/surroundings.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';

/** The surroundings of the service: an edge and a portal. */
export type Outside = Awaited<ReturnType<typeof startOutside>>;

/**
 * @param node where the front's NodePort is
 * @param hostAddress under which pods find this machine
 */
export async function startOutside(node: { address: string; port: number }, hostAddress: string) {
  const edge = await startTcpProxy(node.port, { host: node.address });
  const url = `http://localhost:${edge.port}`;
  const portal = await startCanary((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><title>portal</title><script src="${url}/svc/api.js"></script><div id="editor"></div>`,
    );
  });
  const receiver = await callbackReceiver(() => 204, hostAddress);
  const files = await startCanary((_request, response) => void response.end(ORIGINAL), { host: hostAddress });
  return {
    /** The service through the edge. Browsers and Node resolve `localhost` without DNS. */
    url,
    edgePort: edge.port,
    /** Origin of the portal's page, which has the service's library and an element `editor`. */
    portal: `http://127.0.0.1:${portal.port}`,
    /** Where pods fetch the document that is edited. */
    documentUrl: `http://${hostAddress}:${files.port}/a.docx`,
    receiver,
    stop: async () => void (await Promise.all([edge.close(), portal.close(), receiver.stop(), files.close()])),
  };
}
