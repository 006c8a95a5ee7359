import { iso } from '../../../src/common/clock.ts';

/** Epoch milliseconds as RFC 3339 with the six decimals that apimachinery's `MicroTime` insists on. */
export function microTime(time: number): string {
  return iso(time).replace('Z', '000Z');
}
