/** How long what clients would wait for took a moment ago, without any of them waiting, in milliseconds. */
export interface TableRehearsal {
  /** To read the record anew. */
  readonly recordMs: number;
  /** Until the proxies, the mover and all engines had answered. */
  readonly answersMs: number;
}

/** So often a hold waits for them: `promote` and the table are written; and hold, pause, reach, follow, the end of writes, promotions, release and a margin. */
const TIMES = { record: 2, answers: 8 } as const;
/** The longest hold that is begun, in milliseconds; the second one where a switch has waited for long, and still short of what would be given up. */
const MOST_MS = { first: 500, insisting: 4_000 } as const;

/** Why clients would be held for long now, as a sentence; undefined when they would not. A hold that comes to nothing costs as much as one that succeeds. */
export function whyHeldForLong({ recordMs, answersMs }: TableRehearsal, insists: boolean): string | undefined {
  const expectedMs = TIMES.record * recordMs + TIMES.answers * answersMs;
  if (expectedMs <= (insists ? MOST_MS.insisting : MOST_MS.first)) return undefined;
  const [record, answers] = [Math.round(recordMs), Math.round(answersMs)];
  return `clients would be held for some ${Math.round(expectedMs)} ms: the Kubernetes API takes ${record} ms for a record, and nodes and engines ${answers} ms to answer`;
}
