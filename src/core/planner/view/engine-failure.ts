/** What a node reports of an engine that does not come to serve. */
export interface EngineFailure {
  /** How often in a row it has ended before it served. */
  readonly starts: number;
  /** The last line of its log; empty where there is none. */
  readonly lastWords: string;
}

/** What a node reports of an engine that serves and ends again soon. */
export interface EngineCrashes {
  /** How often in a row. */
  readonly times: number;
  /** What ended it last, for instance a signal; empty where it is not known. */
  readonly endedBy: string;
  /** The last line of its log; empty where there is none. */
  readonly lastWords: string;
}

/** So often an engine may end before it serves; from then on it is said to fail. */
export const FAILED_STARTS = 3;

/** So often in a row an engine may end soon after it served; from then on it is said to crash. */
export const CRASHES = 3;

/** How an engine crashes, as one sentence. */
export function crashText(name: string, node: number, { times, endedBy, lastWords }: EngineCrashes): string {
  const by = endedBy === "" ? "" : `, ended last by ${endedBy}`;
  const said = lastWords === "" ? "" : `: ${lastWords}`;
  return `the engine of "${name}" on node ${node} has crashed ${times} times, each time within five minutes of serving${by}${said}`;
}

/** How an engine fails, as one sentence. */
export function failureText(name: string, node: number, { starts, lastWords }: EngineFailure): string {
  const said = lastWords === "" ? "" : `: ${lastWords}`;
  return `the engine of "${name}" on node ${node} has ended ${starts} times before it served${said}`;
}
