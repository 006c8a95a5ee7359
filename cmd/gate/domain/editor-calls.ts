import type { Logger } from '../../../src/common/log.ts';

/** After a socket is let in, how long the editor may take to ask for its document: 60 times what it usually does. */
const CALL_MS = 15_000;

/** Notices that the editor does not reach the WOPI host. */
export interface EditorCalls {
  /** A socket of a document of ours was let in: the editor asks for CheckFileInfo next. */
  opened(): void;
  /** A request reached the WOPI host. */
  called(): void;
  stop(): void;
}

/**
 * Says once that documents are opened and no request has ever reached the WOPI host.
 * @param options.wopiUrl the address that the editor is given
 */
export function createEditorCalls(options: {
  wopiUrl: string;
  log: Pick<Logger, 'warn'>;
  callMs?: number;
}): EditorCalls {
  const { wopiUrl, log, callMs = CALL_MS } = options;
  let isWatching = true;
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    isWatching = false;
    clearTimeout(timer);
  }

  return {
    opened() {
      if (!isWatching) return;
      timer ??= setTimeout(() => {
        end();
        log.warn(
          { wopi_url: wopiUrl },
          'a document was opened, but the editor has never called SVC_GATE_WOPI_URL: it must be able to reach it, and have it as aliasgroup1',
        );
      }, callMs);
    },
    called: end,
    stop: end,
  };
}
