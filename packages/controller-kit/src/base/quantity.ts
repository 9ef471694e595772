const SUFFIX: Readonly<Record<string, number>> = {
  "": 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
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
const FORM = /^([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;

/** The number that a Kubernetes quantity spells, for instance "500m" or "4Gi"; NaN when it spells none. */
export function parseQuantity(text: string): number {
  const [, digits, exponent = "", suffix = ""] = FORM.exec(text) ?? [];
  if (digits === undefined) return NaN;
  return Number(`${digits}${exponent}`) * (SUFFIX[suffix] ?? NaN);
}

/** How many whole `unit`s it takes to hold `amount`. */
export function inUnits(amount: number, unit: number): number {
  return Math.ceil(Number((amount / unit).toPrecision(12)));
}
