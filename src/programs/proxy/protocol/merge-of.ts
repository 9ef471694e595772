import { assertNever } from "#kit/base/assert-never";
import { integerIn } from "./integers.ts";
import { mergeInfo } from "./merged-info.ts";
import {
  mergeArrays,
  mergeFirst,
  mergeFlags,
  mergeLeast,
  mergeNewest,
  mergeOks,
  mergeSums,
  mergeTexts,
  numberTexts,
} from "./merged-replies.ts";
import { mergingOf } from "./table/sharding.ts";

/** Makes the reply to a command that each shard gets of the whole replies of all; throws for another command. */
export function mergeOf(name: string, args: readonly Buffer[]): (replies: readonly Buffer[]) => Buffer {
  const merging = mergingOf(name);
  switch (merging) {
    case "sums":
      return mergeSums;
    case "oks":
      return mergeOks;
    case "arrays":
      return mergeArrays;
    case "newest":
      return mergeNewest(Number(integerIn(args[2]?.toString("latin1") ?? "") ?? USUAL_ENTRIES));
    case "least":
      return mergeLeast;
    case "flags":
      return mergeFlags;
    case "first":
      return mergeFirst;
    case "texts":
      return mergeTexts(numberTexts);
    case "info":
      return mergeTexts(mergeInfo);
    case undefined:
      throw new Error(`not each shard gets ${name}`);
    default:
      return assertNever(merging);
  }
}

/** Of a log, as engines give them when the request does not say how many. */
const USUAL_ENTRIES = 10;
