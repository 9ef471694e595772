/** How long a wrong password of an address keeps its place, and its answer waits, after so many; in milliseconds. */
export function loginDelayMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}

/** Whether the log has a line about so many failures: one that goes on once a second is said once a minute. */
export function isSaid(failures: number): boolean {
  return failures % SAID_EACH === 0 || Number.isInteger(Math.log2(failures));
}

const FIRST_MS = 100;
/** Libraries give up logins after a few seconds. */
const LONGEST_MS = 1_000;
const SAID_EACH = 64;
