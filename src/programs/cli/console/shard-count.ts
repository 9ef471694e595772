import { InvalidArgumentError } from "commander";
import { MOST_SHARDS } from "../../../core/api/database-spec.ts";

/** How many shards a text asks for; refused as an argument that is none. */
export function readShardCount(text: string): number {
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_SHARDS) throw new InvalidArgumentError(`it must be a number from 1 to ${MOST_SHARDS}`);
  return count;
}
