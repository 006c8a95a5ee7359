import type { Clock } from '../../../../src/common/clock.ts';
import { createEditorAgent } from '../../../../src/common/editor/fetch-text.ts';
import type { Logger } from '../../../../src/common/log.ts';
import { COUNTING } from '../../../../src/common/plan.ts';
import type { EditorServer } from '../../domain/ports.ts';
import type { ReadWopiSrc } from '../../domain/wopi-src.ts';
import { openAdminChannel } from './admin.ts';
import { createDiscovery } from './discovery.ts';

export interface EditorServerOptions {
  /** SVC_ONLINE_URL, without a slash at its end. */
  url: string;
  adminUser: string;
  adminPassword: string;
  readWopiSrc: ReadWopiSrc;
  /** Returns whether somebody waits for the next sample, which is then taken within a second. */
  isUrgent: () => Promise<boolean>;
  /** SVC_BASE_URL, which discovery has to agree with; undefined when it is not set. */
  baseUrl: string | undefined;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds; the contract's 10 s unless a test is in a hurry. */
  sampleIntervalMs?: number | undefined;
}

/** The editor server: its pages from discovery, and who is in them from the admin channel. */
export function createEditorServer(options: EditorServerOptions): EditorServer {
  const { url, adminUser, adminPassword, baseUrl, clock, log, readWopiSrc, isUrgent } = options;
  const agent = createEditorAgent();
  const discovery = createDiscovery({ url, agent, baseUrl, clock, log });
  // It is read before somebody needs it, to log what is wrong with it.
  discovery.check();
  return {
    page: discovery.page,
    forgetPages: discovery.forget,
    sampling: ({ onState, ...handlers }) =>
      openAdminChannel({
        ...{ url, readWopiSrc, isUrgent, clock, log, ...handlers },
        user: adminUser,
        password: adminPassword,
        agent: createEditorAgent(),
        intervalMs: options.sampleIntervalMs ?? COUNTING.sample_interval_seconds * 1000,
        onState: (state) => {
          onState(state);
          if (state === 'ok') discovery.check();
        },
      }),
    stop: () => void agent.destroy(),
  };
}
