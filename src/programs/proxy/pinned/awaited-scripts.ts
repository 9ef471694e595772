import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { commandName } from "../protocol/arguments.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";
import type { ScriptLoader } from "../upstream/script-loader.ts";

/** The wait for the script that this request names, after which the question is asked again; undefined when no wait is needed. */
export function awaitedScript(
  scripts: Pick<RememberedScripts, "awaits">,
  name: string,
  request: Buffer,
): Promise<void> | undefined {
  const sha = digestIn(name, request);
  return sha === undefined ? undefined : scripts.awaits(sha);
}

/** Resolves when all these requests may be sent to that engine: it has their scripts, or no proxy knows them. */
export async function scriptsArrived(
  scripts: Pick<RememberedScripts, "awaits">,
  requests: readonly Buffer[],
  engine: { readonly scripts: Pick<ScriptLoader, "bring"> },
): Promise<void> {
  for (const request of requests) {
    const name = commandName(request);
    for (;;) {
      const wait = awaitedScript(scripts, name, request);
      if (wait === undefined) break;
      await wait;
    }
    const sha = digestIn(name, request);
    if (sha !== undefined) await engine.scripts.bring(sha);
  }
}

/** The digest of the script that a request names by it, as engines write it. */
export function digestIn(name: string, request: Buffer): string | undefined {
  return BY_DIGEST.has(name) ? (requestArguments(request)[1]?.toString("latin1").toLowerCase() ?? "") : undefined;
}

const BY_DIGEST: ReadonlySet<string> = new Set(["EVALSHA", "EVALSHA_RO"]);
