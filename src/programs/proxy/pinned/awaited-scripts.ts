import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { commandName } from "../protocol/arguments.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";

/** The wait for the script that this request names, after which the question is asked again; undefined when no wait is needed. */
export function awaitedScript(
  scripts: Pick<RememberedScripts, "awaits">,
  name: string,
  request: Buffer,
): Promise<void> | undefined {
  if (!BY_DIGEST.has(name)) return undefined;
  const sha = requestArguments(request)[1]?.toString("latin1").toLowerCase() ?? "";
  return scripts.awaits(sha);
}

/** Resolves when all these requests may be sent to the primary: it has their scripts, or no proxy knows them. */
export async function scriptsArrived(
  scripts: Pick<RememberedScripts, "awaits">,
  requests: readonly Buffer[],
): Promise<void> {
  for (const request of requests)
    for (;;) {
      const wait = awaitedScript(scripts, commandName(request), request);
      if (wait === undefined) break;
      await wait;
    }
}

const BY_DIGEST: ReadonlySet<string> = new Set(["EVALSHA", "EVALSHA_RO"]);
