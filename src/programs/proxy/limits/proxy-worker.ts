/** Which of the processes this is that share the endpoints of a node. */
export interface WorkerNumber {
  /** From 1 to `of`. */
  readonly number: number;
  readonly of: number;
}

/** Reads `2/3`, as the agent says it; alone when nothing is said. */
export function readWorker(said: string | undefined): WorkerNumber {
  const [, number = "1", of = "1"] = /^(\d+)\/(\d+)$/.exec(said ?? "") ?? [];
  return { number: Number(number), of: Number(of) };
}

/** The part of one worker of what a node has: the parts of all are never more than that. */
export function shareOfWorker(whole: number, { number, of }: WorkerNumber): number {
  const rest = whole % of;
  return (whole - rest) / of + (number <= rest ? 1 : 0);
}
