import { requestArguments, commandName } from "../protocol/arguments.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";

/** The wait until an engine may be asked for the script that this request names: behind it, the question is asked again. Undefined when there is none. */
export function awaitedScript(
  scripts: Pick<RememberedScripts, "awaits">,
  name: string,
  request: Buffer,
): Promise<void> | undefined {
  if (!BY_DIGEST.has(name)) return undefined;
  const sha = requestArguments(request)[1]?.toString("latin1").toLowerCase() ?? "";
  return scripts.awaits(sha);
}

/** Resolves when the primary may be sent all of these: it has their scripts, or no proxy knows them. */
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
