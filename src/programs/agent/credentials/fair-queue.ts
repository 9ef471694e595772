/** Work of many owners that costs so much that it is done one piece after the other. */
export interface FairQueue {
  /** Does `work` when its owner's turn comes; undefined when too much waits already. */
  add<Result>(owner: string, work: () => Promise<Result>): Promise<Result> | undefined;
}

/** How much may wait: pieces of one owner, and owners. */
export interface FairQueueLimits {
  readonly perOwner: number;
  readonly owners: number;
}

/** Owners take turns, so that one with much work delays another no more than one with little. */
export function fairQueue({ perOwner, owners }: FairQueueLimits): FairQueue {
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let isRunning = false;

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    for (let next = waiting.entries().next().value; next !== undefined; next = waiting.entries().next().value) {
      const [owner, [first, ...rest]] = next;
      waiting.delete(owner);
      if (rest.length > 0) waiting.set(owner, rest); // behind the others
      await first?.();
    }
    isRunning = false;
  };

  return {
    add<Result>(owner: string, work: () => Promise<Result>): Promise<Result> | undefined {
      const mine = waiting.get(owner) ?? [];
      if (mine.length >= perOwner || (mine.length === 0 && waiting.size >= owners)) return undefined;
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.set(owner, [...mine, () => work().then(resolve, reject)]);
      void run();
      return promise;
    },
  };
}
