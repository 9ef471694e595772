import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Arg } from "../../../ports/resp/encode.ts";
import { errorReplyOf } from "../../../ports/resp/engine-client.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Routes } from "../upstream/only-route.ts";

/** The part of the route to the primary that a question to the primary needs. */
export type AskedRoute = Pick<PrimaryView, "upstream" | "unavailable" | "refusal" | "holdMs">;

/** Where the primary is found, and how long a client waits for one. */
export interface AskedEndpoint {
  readonly clock: Clock;
  readonly routes: Routes<AskedRoute>;
}

/** What the primaries of all shards reply to that, or to what each is asked by its place, in the order of the shards; see `askRoute`. The error of one that cannot be reached is the answer. */
export async function askAll(
  endpoint: AskedEndpoint,
  args: readonly Arg[] | ((shard: number) => readonly Arg[]),
): Promise<{ readonly replies: readonly Reply[] } | { readonly refusal: Buffer }> {
  const { routes } = endpoint;
  const argsOf = typeof args === "function" ? args : () => args;
  const found = await Promise.all(routes.map((route, at) => askRoute(endpoint, route, argsOf(at))));
  // others serve now
  if (routes !== endpoint.routes) return askAll(endpoint, args);
  const silent = routes.find((_, at) => found[at] === undefined);
  return silent === undefined ? { replies: found.map((reply) => reply ?? null) } : { refusal: silent.refusal };
}

/**
 * What the primary of a shard replies to a command that changes nothing. While no primary can be reached, the call waits for the next one, as long as
 * clients may be held; undefined when there is none by then, and when other shards serve. Throws an engine's error.
 */
async function askRoute(
  endpoint: AskedEndpoint,
  primary: AskedRoute,
  args: readonly Arg[],
): Promise<Reply | undefined> {
  const { clock, routes } = endpoint;
  const deadline = clock.uptimeMs() + primary.holdMs;
  while (!primary.unavailable && routes === endpoint.routes) {
    // before the primary is asked: it is asked once more when the time is over
    const isLate = clock.uptimeMs() >= deadline;
    const { upstream } = primary;
    try {
      if (upstream !== undefined) {
        const [reply = null] = await (await upstream.control()).callAll([args], "utf8");
        if (!(reply instanceof Fault)) return reply;
        throw reply;
      }
    } catch (error) {
      if (!(error instanceof Fault) || errorReplyOf(error) !== undefined) throw error;
    }
    if (isLate) return undefined;
    await clock.sleep(POLL_MS);
  }
  return undefined;
}

const POLL_MS = 20;
