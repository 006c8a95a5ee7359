import { createEditorAgent } from '../../../../src/common/editor/fetch-text.ts';
import { COUNTING } from '../../../../src/common/plan.ts';
import type { EditorServer } from '../../domain/ports.ts';
import { type AdminOptions, openAdminChannel } from './admin.ts';
import { createDiscovery } from './discovery.ts';

export interface EditorServerOptions extends Omit<AdminOptions, 'agent' | 'intervalMs'> {
  /** SVC_BASE_URL, which discovery has to agree with; undefined when it is not set. */
  baseUrl: string | undefined;
  /** Milliseconds; the contract's 10 s unless a test is in a hurry. */
  sampleIntervalMs?: number | undefined;
}

/** The editor server: its pages from discovery, and who is in them from the admin channel. */
export function createEditorServer(options: EditorServerOptions): EditorServer {
  const agent = createEditorAgent();
  const discovery = createDiscovery({ ...options, agent });
  // It is read before somebody needs it, to log what is wrong with it.
  discovery.check();
  return {
    page: discovery.page,
    forgetPages: discovery.forget,
    sampling: ({ onState, ...handlers }) =>
      openAdminChannel({
        ...{ ...options, ...handlers },
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
