/**
 * Flags of the services' Node. Uploads and results pass through short-lived buffers: a small young generation collects
 * them early (a fifth less CPU time a request, and a steadier size).
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=4'];

/**
 * Flags of the gate's Node. A buffer that outlives two young collections stays until the whole heap is collected, which
 * took as long as a save; a smaller young generation frees the buffers of an upload before.
 */
export const GATE_FLAGS: readonly string[] = ['--max-semi-space-size=1'];

/** Otherwise glibc keeps freed memory in an arena for each thread. */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' };
