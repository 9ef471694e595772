import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { startPatience } from "#kit/timing/patience";
import { PREPARING_MS } from "../../../ports/management/preparing.ts";
import type { EnginePlace, ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { nameShard } from "../../../ports/management/shard-name.ts";
import type { SwitchoverMove } from "../../../core/records/switchover-record.ts";
import { faults } from "../faults.ts";
import { reasonOf } from "./engines.ts";
import type { ProxyPort, ShardPorts } from "./ports.ts";

/** What one proxy replied to a command, or why there is no reply. */
export interface ProxyOutcome {
  readonly proxy: ProxyPort;
  readonly reply?: ProxyReply;
  readonly why?: string;
}

/** For the way to a proxy and back, in milliseconds. */
const ANSWER_MS = 2_000;

/**
 * Sends the command to every proxy at once and waits for all answers but those of nodes that are known to be dead, which do not matter; never
 * rejects.
 */
export async function sendToProxies(
  proxies: readonly ProxyPort[],
  command: ProxyCommand,
): Promise<readonly ProxyOutcome[]> {
  return Promise.all(proxies.map((proxy) => sendWithDeadline(proxy, command)));
}

/** The command that sends clients to the primary that this record names. */
export function releaseTo(
  target: EnginePlace,
  { shard, epoch }: Pick<SwitchoverMove, "shard" | "epoch">,
  record: DatabaseRecord,
  { syncOf }: Pick<ShardPorts, "syncOf">,
): ProxyCommand {
  const sync = syncOf(record, shard);
  return { op: "release", ...nameShard(record, shard), epoch, target, ...(sync === undefined ? {} : { sync }) };
}

/** AGENT_PROXY_REFUSED when a proxy has not confirmed the command, unless its node is known to be dead. */
export function requireConfirmed(op: ProxyCommand["op"], outcomes: readonly ProxyOutcome[]): void {
  const failed = outcomes.filter(({ proxy, why }) => why !== undefined && !proxy.isDead());
  if (failed.length === 0) return;
  const reasons = failed.map(({ proxy, why }) => `the proxy of node ${proxy.node}: ${why ?? ""}`).join("; ");
  throw new Fault(faults.proxyRefused, `${op} failed: ${reasons}`, {
    op,
    nodes: failed.map(({ proxy }) => proxy.node),
  });
}

/** Nodes whose proxy has not confirmed the command. */
export function failedNodes(outcomes: readonly ProxyOutcome[]): readonly number[] {
  return outcomes.filter(({ why }) => why !== undefined).map(({ proxy }) => proxy.node);
}

/** The longest time that a proxy reports, in milliseconds; 0 when none does. */
export function slowest(outcomes: readonly ProxyOutcome[]): number {
  const values = outcomes.map(({ reply }) => {
    if (reply?.ok !== true) return 0;
    if (reply.op === "hold" || reply.op === "hold-table") return reply.drainMs;
    return reply.op === "release" || reply.op === "release-table" ? reply.heldMs : 0;
  });
  return Math.max(0, ...values);
}

async function sendWithDeadline(proxy: ProxyPort, command: ProxyCommand): Promise<ProxyOutcome> {
  const outcome = answer(proxy, command);
  if (proxy.isDead()) return { proxy, why: "its node is dead" };
  const late = Promise.withResolvers<ProxyOutcome>();
  const deadline = deadlineMs(command);
  const endPatience = startPatience(deadline, () => {
    late.resolve({ proxy, why: `no answer within ${deadline} ms` });
  });
  try {
    return await Promise.race([outcome, late.promise]);
  } finally {
    endPatience();
  }
}

async function answer(proxy: ProxyPort, command: ProxyCommand): Promise<ProxyOutcome> {
  try {
    const reply = await proxy.send(command);
    return reply.ok ? { proxy, reply } : { proxy, reply, why: `${reply.message} (${reply.code})` };
  } catch (error) {
    return { proxy, why: reasonOf(error) };
  }
}

/** A proxy that does not reply must not keep the others holding; a hold may take as long as it allows for draining, and what no client waits for longer. */
function deadlineMs(command: ProxyCommand): number {
  return ANSWER_MS + allowedMs(command);
}

function allowedMs(command: ProxyCommand): number {
  switch (command.op) {
    case "prepare":
    case "prepare-table":
      return PREPARING_MS;
    case "quiet":
    case "confirm":
      return command.withinMs;
    case "hold":
    case "hold-table":
      return command.drainMs;
    default:
      return 0;
  }
}
