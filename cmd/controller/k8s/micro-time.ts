/** Epoch milliseconds as RFC 3339 with the six decimals that apimachinery's `MicroTime` insists on. */
export function microTime(time: number): string {
  return new Date(time).toISOString().replace('Z', '000Z');
}
