/** A range of bytes; both ends are included. */
export type ByteRange = { start: number; end: number };
