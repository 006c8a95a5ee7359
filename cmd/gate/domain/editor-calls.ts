import type { Logger } from '../../../src/common/log.ts';

/** After a socket is let in, how long the editor may take to ask for its document: 60 times what it usually does. */
const CALL_MS = 15_000;

export interface EditorCallsOptions {
  /** The address that the editor is given. */
  wopiUrl: string;
  log: Pick<Logger, 'warn'>;
  callMs?: number;
}

/** Warns once that documents are opened but no request has reached the WOPI host: the editor cannot reach it. */
export function createEditorCalls({ wopiUrl, log, callMs = CALL_MS }: EditorCallsOptions) {
  let isWatching = true;
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    isWatching = false;
    clearTimeout(timer);
  }

  return {
    /** Called when a socket of a document of ours is admitted: the editor asks for CheckFileInfo next. */
    opened(): void {
      if (!isWatching) return;
      timer ??= setTimeout(() => {
        end();
        log.warn(
          { wopi_url: wopiUrl },
          'a document was opened, but the editor has never called SVC_GATE_WOPI_URL: it must be able to reach it, and have it as aliasgroup1',
        );
      }, callMs);
    },
    /** Called when a request reaches the WOPI host. */
    called: end,
    stop: end,
  };
}
