import { assertNever } from "#kit/base/assert-never";
import { integerIn } from "./integers.ts";
import { mergeInfo } from "./merged-info.ts";
import {
  mergeArrays,
  mergeCounts,
  mergeFirst,
  mergeFound,
  mergeLeast,
  mergeNewest,
  mergeOks,
  mergeRunning,
  mergeScripts,
  mergeSums,
  mergeTexts,
  numberTexts,
} from "./merged-replies.ts";
import { mergingOf } from "./table/sharding.ts";

/**
 * Makes the reply to a command that each shard gets of the whole replies of all; throws for another command. `knowsScript`: each shard gets the
 * script with that digest once it is asked for it.
 */
export function mergeOf(
  name: string,
  args: readonly Buffer[],
  knowsScript: (sha: string) => boolean,
): (replies: readonly Buffer[]) => Buffer {
  const merging = mergingOf(name);
  switch (merging) {
    case "sums":
      return mergeSums;
    case "oks":
      return mergeOks;
    case "arrays":
      return mergeArrays;
    case "counts":
      return mergeCounts;
    case "newest":
      return mergeNewest(Number(integerIn(args[2]?.toString("latin1") ?? "") ?? USUAL_ENTRIES));
    case "least":
      return mergeLeast;
    case "scripts":
      return mergeKnown(args, knowsScript);
    case "first":
      return mergeFirst;
    case "found":
      return mergeFound;
    case "running":
      return mergeRunning;
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

/** The request is not kept until the replies are here. */
function mergeKnown(args: readonly Buffer[], knowsScript: (sha: string) => boolean): ReturnType<typeof mergeScripts> {
  const digests = args.slice(FIRST_DIGEST).map((digest) => digest.toString("latin1").toLowerCase());
  return mergeScripts((at) => knowsScript(digests[at] ?? ""));
}

/** Of a log, as engines give them when the request does not say how many. */
const USUAL_ENTRIES = 10;
const FIRST_DIGEST = 2;
