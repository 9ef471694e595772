/** What a node reports of an engine that does not come to serve. */
export interface EngineFailure {
  /** How often in a row it has ended before it served. */
  readonly starts: number;
  /** The last line of its log; empty where there is none. */
  readonly lastWords: string;
}

/** So often an engine may end before it serves; from then on it is said to fail. */
export const FAILED_STARTS = 3;

/** How an engine fails, as one sentence. */
export function failureText(name: string, node: number, { starts, lastWords }: EngineFailure): string {
  const said = lastWords === "" ? "" : `: ${lastWords}`;
  return `the engine of "${name}" on node ${node} has ended ${starts} times before it served${said}`;
}
