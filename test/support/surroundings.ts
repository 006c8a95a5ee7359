import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../cmd/local/port.ts';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { Timings } from '../../examples/editor/options.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import type { Environment } from '../../src/common/config.ts';
import { startFront } from '../e2e/front/support/nginx.ts';
import { startCanary } from './canary.ts';
import { callbackReceiver } from './gate-receiver.ts';
import { secret } from './logs.ts';
import { sessionsAt } from './sessions.ts';

/** The stand-in editor in a hurry. */
const EDITOR_TIMINGS: Partial<Timings> = { uploadGap: 20, unloadRetry: 40, giveUp: 40 };

export const PORTAL_ORIGIN = 'https://portal.example.com';
export const ORIGINAL: Buffer = Buffer.from(ooxml('docx', { paragraphs: 1 }));

export interface SurroundingsOptions {
  /** Ports of the gate, or of what stands before several. */
  ports: { public: number; internal: number };
  /** Further settings of the gate. */
  environment?: Environment | undefined;
  /** The portal's receiver answers callbacks with this, null for never; 204 without it. */
  receives?: Parameters<typeof callbackReceiver>[0] | undefined;
  /** The gate's clock. */
  clock?: () => number;
}

/** All that users of the embedded editor meet, but the gate: a real front, the stand-in editor, and a portal. */
export async function startSurroundings({
  ports,
  environment,
  receives = () => 204,
  clock = Date.now,
}: SurroundingsOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-stack-'));
  const [nobody] = await freePorts(1);
  const [jwtSecret, callbackSecret, password] = [newSecret(), newSecret(), newSecret()];
  const portal = await startCanary((_request, response) => void response.end(ORIGINAL));
  const receiver = await callbackReceiver(receives);
  const wopi = `127.0.0.1:${ports.internal}`;
  const startIt = (port: number) =>
    startEditor({
      port,
      host: '127.0.0.1',
      wopiAllow: [wopi],
      admin: { user: 'admin', password },
      timings: EDITOR_TIMINGS,
    });
  let editor = await startIt(0);
  const front = await startFront({
    gate: `127.0.0.1:${ports.public}`,
    gateInternal: wopi,
    docbuilder: `127.0.0.1:${nobody}`,
    editor: `127.0.0.1:${editor.port}`,
  });
  const sessions = sessionsAt(front.url.origin, {
    origin: PORTAL_ORIGIN,
    documentUrl: `http://127.0.0.1:${portal.port}/a.docx?t=1`,
    callbackUrl: receiver.url,
    jwtSecret,
    clock,
  });
  return {
    parts: { ...sessions, front, editor, receiver, portal, callbackSecret },
    /** A folder for data folders, which goes with the rest. */
    folder,
    /** The settings of a gate here, but for where it listens and where its data folder is. */
    settings: {
      SVC_GATE_WOPI_URL: `http://${wopi}`,
      SVC_ONLINE_URL: editor.url,
      SVC_ONLINE_ADMIN_PASSWORD: password,
      SVC_EMBED_JWT_SECRET: jwtSecret,
      SVC_EMBED_CALLBACK_SECRET: callbackSecret,
      SVC_EMBED_ALLOWED_ORIGINS: PORTAL_ORIGIN,
      SVC_FETCH_ALLOW_HOSTS: '127.0.0.1',
      SVC_AUDIT_TARGET: 'off',
      // A gate that is started again starts in half the time.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      ...environment,
    } satisfies Environment,
    /** Starts the editor where it was, after it has ended. */
    async restartEditor(): Promise<StandInEditor> {
      editor = await startIt(editor.port);
      return editor;
    },
    /** Ends front and editor, then what `endGates` ends, then the rest. */
    async stop(endGates: () => Promise<unknown>): Promise<void> {
      await front.stop();
      await editor.kill();
      await endGates();
      await Promise.all([receiver.stop(), portal.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function newSecret(): string {
  return secret(randomBytes(24).toString('hex'));
}
