import { nameShard } from "../../../ports/management/shard-name.ts";
import { roleOf } from "./engines.ts";
import type { OpenSwitchover } from "./open.ts";
import { sendToProxies } from "./proxies.ts";

/**
 * Asks every proxy and both engines something without effect, over the connections that the hold uses, until all answer quickly. Other work is
 * then done before clients wait for it: each agent reads the intent, code runs for the first time, a closed connection is dialled. When the
 * answers stay slow, the hold begins all the same.
 */
export async function rehearse({ move, ports, record, primary, target }: OpenSwitchover): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  for (let round = 1; ; round += 1) {
    const began = performance.now();
    await Promise.all([
      sendToProxies(ports.proxies, { op: "quiet", ...nameShard(record, move.shard), withinMs: 0 }),
      roleOf(primary),
      roleOf(target),
    ]);
    const now = performance.now();
    if (now >= deadline || (round >= LEAST_ROUNDS && now - began <= QUICK_MS)) return;
  }
}

/** All rounds together, in milliseconds. */
const WITHIN_MS = 100;
/** Code runs faster after a few times. */
const LEAST_ROUNDS = 5;
/** Three nodes on one machine with two processors, at rest, answer within this, in milliseconds. */
const QUICK_MS = 2;
