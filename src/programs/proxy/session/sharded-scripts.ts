import { digestIn } from "../pinned/awaited-scripts.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";
import type { ShardWays } from "./shard-ways.ts";

/**
 * The wait until a shard has the script that a request for it names by its digest; undefined when none is needed, or it was tried for this
 * request. A script that another shard has taken is loaded there.
 */
export function bringScript(ways: ShardWays, shard: number, name: string, request: Buffer): Promise<void> | undefined {
  const sha = digestIn(name, request);
  return sha === undefined ? undefined : ways.bringScript(shard, sha);
}

/** What is remembered of scripts once all shards have done what this SCRIPT LOAD or SCRIPT FLUSH asks; nothing of any other command. */
export function effectOnScripts(
  scripts: RememberedScripts,
  name: string,
  [, , body]: readonly Buffer[],
): (() => void) | undefined {
  if (name === "SCRIPT|FLUSH") return scripts.beginFlush();
  if (name !== "SCRIPT|LOAD" || body === undefined) return undefined;
  // a copy: what came with it is not kept
  const own = Buffer.from(body);
  return () => void scripts.add(own);
}
