/** An error with a code that programs branch on (contract: Gate and embedding codes, and the browser's own). */
export function editorError(code: string, message: string, detail: Record<string, unknown> = {}): SVC.EditorError {
  return Object.assign(new Error(message), { name: 'SVCError', code, detail });
}

export function asEditorError(error: unknown): SVC.EditorError {
  const isOne = error instanceof Error && 'code' in error && 'detail' in error;
  return isOne ? (error as SVC.EditorError) : editorError('internal', String(error));
}

/** Explains why nothing is heard, which browsers keep from a page. @param directives that must name the service */
export function explainSilence(origin: string, directives: string): string {
  return (
    `does the service's SVC_EMBED_ALLOWED_ORIGINS have ${location.origin} (with make run: SVC_LOCAL_PORTS its port), ` +
    `and does the policy of this page name ${origin} in ${directives}?`
  );
}

/** A method was called too early. */
export function notLoaded(): SVC.EditorError {
  return editorError('not_loaded', 'SVC.Editor: there is no open document');
}

/** A method was called too late, or its editor ended before it was done. */
export function closedError(): SVC.EditorError {
  return editorError('closed', 'SVC.Editor: the editor was closed or destroyed');
}

/** The session is over; asking again would change nothing. */
export function isFinal({ code }: SVC.EditorError): boolean {
  return ['invalid_session_token', 'token_expired', 'not_found', 'origin_not_allowed'].includes(code);
}

/** No answer came: neither the service nor anything before it was reached. */
export function isUnreachable({ code, detail }: SVC.EditorError): boolean {
  return code === 'network_error' && detail['status'] === undefined;
}
