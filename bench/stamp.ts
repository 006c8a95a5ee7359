/** Makes `bytes` differ from those of every other round, in place: bytes that are known already are not written again. */
export function stamped(bytes: Buffer, round: number): Buffer {
  bytes.writeUInt32BE(round);
  return bytes;
}
