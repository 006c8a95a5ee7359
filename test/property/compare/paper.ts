import type { Paper } from '../../../src/common/generated/script.ts';

const SIZES = {
  A3: [297, 420],
  A4: [210, 297],
  A5: [148, 210],
  B5: [176, 250],
  Letter: [215.9, 279.4],
  Legal: [215.9, 355.6],
} as const;

/** Width and height of the paper as it is held, in millimetres. A size in numbers stays as it is without a word. */
export function paperOf({ size = 'A4', orientation }: { size?: Paper; orientation?: 'portrait' | 'landscape' }) {
  const [width, height] = typeof size === 'string' ? SIZES[size] : [size.width, size.height];
  const turn = orientation !== undefined && (orientation === 'landscape') !== width > height && width !== height;
  return turn ? { width: height, height: width } : { width, height };
}
