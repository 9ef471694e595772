/** How often a hold waits for the proxies, the mover and all engines: hold, pause, reach, follow, the end of writes, promotions, release and a margin. */
const ANSWERS = 8;
/** The longest hold that is begun, in milliseconds; the second one where a switch has waited for long, and still short of what would be given up. */
const MOST_MS = { first: 500, insisting: 4_000 } as const;

/**
 * Why clients would be held for long now, as a sentence, when all that a hold waits for took so many milliseconds to answer a moment ago, without any client
 * waiting; undefined when they would not. A hold that comes to nothing costs as much as one that succeeds.
 */
export function whyHeldForLong(answersMs: number, insists: boolean): string | undefined {
  const expectedMs = ANSWERS * answersMs;
  if (expectedMs <= (insists ? MOST_MS.insisting : MOST_MS.first)) return undefined;
  return `clients would be held for some ${Math.round(expectedMs)} ms: nodes and engines take ${Math.round(answersMs)} ms to answer`;
}
