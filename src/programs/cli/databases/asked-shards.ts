import { isSameTable, namedShards, slotTexts } from "../../../core/slots/named-slots.ts";
import { evenSlots } from "../../../core/slots/shard-slots.ts";

/** The shards of a database, as texts of their slots. */
export type ShardTexts = readonly string[];

/** Shards that a user asks for, and what is known of the database. */
export interface AskedTable {
  readonly database: string;
  readonly wanted: ShardTexts;
  /** Those that serve. */
  readonly has: ShardTexts;
  /** Those that were asked for last. */
  readonly asked: ShardTexts;
  /** What its object says; undefined when it says nothing, and when there is no object. */
  readonly written: ShardTexts | undefined;
  /** The user agrees that keys at the wrong shard are left behind. */
  readonly agrees: boolean;
}

export interface AnswerToAsked {
  /** What comes of it, where nothing is made; undefined when shards are made, which is planned first. */
  readonly said: string | undefined;
  /** The shards are written, into the object or into the database. */
  readonly writes: boolean;
}

/** What comes of shards that are asked for: those that serve end a change that is under way, and those that are made already change nothing. */
export function answerToAsked({ database, wanted, has, asked, written, agrees }: AskedTable): AnswerToAsked {
  const isWritten = written === undefined || isSame(written, wanted);
  if (isSame(wanted, has)) {
    const isUnderWay = !isSame(asked, has);
    const back = isUnderWay ? backText(asked, has) : "";
    const nothing = agrees ? " No key is left behind where shards stay: --may-discard-data agrees to nothing." : "";
    return {
      said: `${database} keeps its ${shardsText(has.length)}.${back}${nothing}`,
      writes: isUnderWay || !isWritten,
    };
  }
  if (!isSame(wanted, asked)) return { said: undefined, writes: true };
  const what = wanted.length === has.length ? "these slots" : shardsText(wanted.length);
  const said = `${database} gets ${what} already, and has ${has.length}. What it waits for: storectl why redb ${database}`;
  return { said, writes: !isWritten };
}

/** So many shards, in words. */
export function shardsText(count: number): string {
  return count === 1 ? "one shard" : `${count} shards`;
}

/** What a number alone asks for: the shards that serve when they are so many, and otherwise ones with even slots. */
export function shardsOfCount(count: number, has: ShardTexts): ShardTexts {
  return count === has.length ? has : evenShards(count);
}

/** So many shards with as many slots each as can be. */
export function evenShards(count: number): ShardTexts {
  return slotTexts(evenSlots(count).map((slots) => ({ slots })));
}

function backText(asked: ShardTexts, has: ShardTexts): string {
  const which = asked.length === has.length ? "others" : `${asked.length}`;
  return ` The ${which} that were asked for are not made, and what is copied goes.`;
}

function isSame(one: ShardTexts, other: ShardTexts): boolean {
  const [first, second] = [namedShards(one), namedShards(other)];
  return !("why" in first) && !("why" in second) && isSameTable(first, second);
}
