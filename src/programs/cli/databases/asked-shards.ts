/** A number of shards that a user asks for, and what is known of the database. */
export interface AskedCount {
  readonly database: string;
  readonly count: number;
  /** How many shards serve. */
  readonly has: number;
  /** How many were asked for last. */
  readonly asked: number;
  /** What its object says; undefined when it says nothing, and when there is no object. */
  readonly written: number | undefined;
}

export interface AnswerToAsked {
  /** What comes of it, where nothing is made; undefined when shards are made, which is planned first. */
  readonly said: string | undefined;
  /** The number is written, into the object or into the database. */
  readonly writes: boolean;
}

/** What comes of a number of shards that is asked for: the number that serves ends a change that is under way, and the one that is made already changes nothing. */
export function answerToAsked({ database, count, has, asked, written }: AskedCount): AnswerToAsked {
  const isWritten = written === undefined || written === count;
  if (count === has) {
    const back = asked === has ? "" : ` The ${asked} that were asked for are not made, and what is copied goes.`;
    return { said: `${database} keeps its ${shardsText(count)}.${back}`, writes: asked !== has || !isWritten };
  }
  if (count !== asked) return { said: undefined, writes: true };
  const said = `${database} gets ${shardsText(count)} already, and has ${has}. What it waits for: storectl why redb ${database}`;
  return { said, writes: !isWritten };
}

/** So many shards, in words. */
export function shardsText(count: number): string {
  return count === 1 ? "one shard" : `${count} shards`;
}
