const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;

/** The number that a Kubernetes quantity such as `1500m`, `2Gi` or `1e3` stands for; undefined when it is none. */
export function quantityValue(quantity: unknown): number | undefined {
  if (typeof quantity === 'number') return quantity;
  if (typeof quantity !== 'string') return undefined;
  const [, digits, exponent = '', suffix = ''] = QUANTITY.exec(quantity) ?? [];
  return digits === undefined ? undefined : Number(`${digits}${exponent}`) * (SUFFIXES[suffix] ?? 1);
}

/** Returns whether two quantities are the same amount to the API server, which rounds up to thousandths; as far as doubles tell. */
export function sameQuantity(a: unknown, b: unknown): boolean {
  const [left, right] = [quantityValue(a), quantityValue(b)].map(thousandths);
  if (left === undefined || right === undefined) return false;
  return Math.abs(left - right) <= Math.abs(left) * 1e-12;
}

function thousandths(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.ceil(value * 1000 * (1 - 1e-12));
}
