/** Work of many owners that costs so much that it is done one piece after the other. */
export interface FairQueue {
  /** Does `work` when the turn of its owner, and among the work of that owner the turn of its subject, comes; undefined when too much waits already. */
  add<Result>(owner: string, subject: string, work: () => Promise<Result>): Promise<Result> | undefined;
}

/** How much may wait: pieces about one subject, subjects of one owner, and owners. */
export interface FairQueueLimits {
  readonly ofSubject: number;
  readonly subjects: number;
  readonly owners: number;
}

type Piece = () => Promise<void>;

/** Owners take turns, and so do the subjects of an owner: much work about one delays another no more than little does. */
export function fairQueue({ ofSubject, subjects, owners }: FairQueueLimits): FairQueue {
  const waiting = new Map<string, Map<string, Piece[]>>();
  let isRunning = false;

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    for (let next = takeFirst(waiting); next !== undefined; next = takeFirst(waiting)) await next();
    isRunning = false;
  };

  return {
    add<Result>(owner: string, subject: string, work: () => Promise<Result>): Promise<Result> | undefined {
      const own = waiting.get(owner);
      const same = own?.get(subject);
      if (own === undefined && waiting.size >= owners) return undefined;
      if (own !== undefined && same === undefined && own.size >= subjects) return undefined;
      if (same !== undefined && same.length >= ofSubject) return undefined;
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const piece = () => work().then(resolve, reject);
      waiting.set(owner, (own ?? new Map<string, Piece[]>()).set(subject, [...(same ?? []), piece]));
      void run();
      return promise;
    },
  };
}

/** The first piece; its subject and its owner go behind the others. */
function takeFirst(waiting: Map<string, Map<string, Piece[]>>): Piece | undefined {
  const [owner, own] = waiting.entries().next().value ?? [];
  if (owner === undefined || own === undefined) return undefined;
  const [subject, pieces = []] = own.entries().next().value ?? [];
  const [first, ...rest] = pieces;
  waiting.delete(owner);
  if (subject !== undefined) own.delete(subject);
  if (subject !== undefined && rest.length > 0) own.set(subject, rest);
  if (own.size > 0) waiting.set(owner, own);
  return first;
}
