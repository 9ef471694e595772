import type { Circumstances } from "../stories/judge.ts";
import type { Member } from "./member.ts";
import type { Tale } from "./tale.ts";

/** A kind of company: clients at different nodes whose requests bear on each other. */
export interface Company {
  readonly name: string;
  /** How many members it has. */
  readonly size: number;
  /** Plays one tale; resolves when all its requests have their answers. */
  play(stage: Stage): Promise<void>;
  /** What is wrong with a tale, in words; undefined when nothing is. Requests without an outcome may have been executed. */
  judge(tale: Tale, around: Circumstances): string | undefined;
}

/** What a tale is played on. */
export interface Stage {
  /** Of the tale, and the beginning of its keys and channels. */
  readonly name: string;
  readonly members: readonly Member[];
  /** The database has several: what different shards send a client has no order. */
  readonly hasShards: boolean;
  /** The tale ends when this is true. Its time runs from the first time on that it is asked. */
  isOver(): boolean;
}
