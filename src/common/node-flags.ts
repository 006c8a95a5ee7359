/**
 * Flags of the services' Node. Every upload and result passes through short-lived buffers; a small young
 * generation keeps them from piling up between collections (a fifth less CPU time a request, and a steadier size).
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=4'];

/**
 * The flags that the gate's Node is started with. A buffer that outlives two collections of the young generation stays
 * until all of the heap is collected, which took as long as a save does: a smaller one frees the buffers of an upload
 * before that.
 */
export const GATE_FLAGS: readonly string[] = ['--max-semi-space-size=1'];

/** glibc otherwise keeps freed memory in an arena for each thread. */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' };
