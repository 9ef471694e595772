/** How long a test file may take. */
export interface Budget {
  /** What it takes at most on a quiet machine with two cores while another file runs. A file that takes longer is reported. */
  readonly seconds: number;
  /** After this time it is killed, and has failed. */
  readonly limitSeconds: number;
}

const DEFAULT: Budget = { seconds: 3, limitSeconds: 120 };
export function budgetOf(_file: string): Budget {
  return DEFAULT;
}
export function isQuick(_file: string): boolean {
  return true;
}
