import { Pool } from 'undici';
import type { Environment } from '../../src/common/config.ts';
import { page, socket26 } from '../../test/support/gate-openings.ts';
import { putHeaders } from '../../test/support/gate-saves.ts';
import { startStack } from '../../test/support/stack.ts';
import { onRelease } from '../releases.ts';
import { send } from '../send.ts';

/** The gate as a process of its own, with a document open for editing. */
export interface GateSubject {
  /** The side that the front asks and the editor saves at. */
  port: number;
  /** A PutFile of the document. @returns milliseconds from the first byte sent to the answer */
  put(bytes: Uint8Array): Promise<number>;
  /** The questions of the front when the document is opened: for its page, and for its socket. */
  questions: Buffer[];
  stop(): Promise<void>;
}

/**
 * Starts a gate with the stand-in editor that is listed to it and a portal, and opens a session.
 * @param environment further settings
 */
export async function startGate(environment: Environment = {}): Promise<GateSubject> {
  const stack = await startStack({ process: true, environment: { SVC_AUDIT_TARGET: 'stdout', ...environment } });
  const wopiUrl = stack.environment['SVC_GATE_WOPI_URL'] ?? '';
  const pool = new Pool(wopiUrl, { connections: 1 });
  const stop = onRelease(async () => {
    await pool.destroy();
    await stack.stop();
  });
  const { doc_id, form } = await stack.create();
  const source = `${wopiUrl}/svc/wopi/files/${doc_id}`;

  return {
    port: Number(new URL(wopiUrl).port),
    questions: [question('page', page(source)), question('ws', socket26(source, form.access_token))],
    stop,
    put: (bytes) =>
      send(pool, {
        method: 'POST',
        path: `/svc/wopi/files/${doc_id}/contents`,
        headers: putHeaders({}, form.access_token),
        body: bytes,
      }),
  };
}

/** The front's question (ingress/front/ask.conf). */
function question(stage: 'page' | 'ws', uri: string): Buffer {
  const lines = [
    'POST /svc/auth HTTP/1.1',
    'Host: gate',
    'Content-Length: 0',
    `X-Original-URI: ${uri}`,
    'X-Original-Method: GET',
    `X-SVC-Stage: ${stage}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}
