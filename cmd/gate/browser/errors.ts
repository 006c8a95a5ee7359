/** An error with a code that programs branch on (contract: Gate and embedding codes, and the browser's own). */
export function editorError(code: string, message: string, detail: Record<string, unknown> = {}): SVC.EditorError {
  return Object.assign(new Error(message), { name: 'SVCError', code, detail });
}

export function isEditorError(thrown: unknown): thrown is SVC.EditorError {
  return thrown instanceof Error && 'code' in thrown && 'detail' in thrown;
}
