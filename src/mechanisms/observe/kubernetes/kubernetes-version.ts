import type { Clock } from "../../../core/base/clock.ts";
import { messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Kube } from "../../../ports/kube/kube.ts";

/** How long an answer is believed, in milliseconds: API servers are upgraded too. */
const BELIEVED_MS = 60_000;

/** Asks the API server for its minor, for instance "1.33", at most once a minute; undefined while it does not say. */
export function kubernetesMinor(kube: Kube, clock: Clock, log: Log): () => Promise<string | undefined> {
  let known: { readonly minor: string | undefined; readonly at: number } | undefined;
  return async () => {
    const now = clock.uptimeMs();
    if (known === undefined || now - known.at >= BELIEVED_MS) known = { minor: await ask(kube, log), at: now };
    return known.minor;
  };
}

async function ask(kube: Kube, log: Log): Promise<string | undefined> {
  try {
    const { major, minor }: { major?: string; minor?: string } = JSON.parse(await kube.raw("GET", "/version"));
    const digits = /^\d+/.exec(minor ?? "")?.[0];
    return major === undefined || digits === undefined ? undefined : `${major}.${digits}`;
  } catch (error) {
    log.warn("the API server did not tell its version", { reason: messageOf(error) });
    return undefined;
  }
}
