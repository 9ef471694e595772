import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { KeptListening } from "../pinned/kept-listening.ts";
import type { ShardListeners } from "../pinned/shard-listeners.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";

/** Subscribes to the same channels, but not at the places of `knowing`, where that is so; false when a shard does not take that. */
export async function subscribeAgain(
  listeners: ShardListeners,
  { channels }: KeptListening,
  knowing: ReadonlySet<number>,
): Promise<boolean> {
  for (const [verb, ...named] of channels) {
    const entry: CommandEntry = { name: verb, commandClass: "subscription", note: "" };
    const [first] = await listeners.change([Buffer.from(verb), ...named], entry, knowing);
    if (first?.[0] === MINUS) return false;
  }
  return true;
}

/** Tracks and shows the same from now on, also where that is so already; false when a shard does not take that. */
export async function listenAgain(
  listeners: ShardListeners,
  { tracking, isMonitoring }: KeptListening,
  knowing: ReadonlySet<number>,
): Promise<boolean> {
  for (const request of tracking) {
    if (isRefusedIn(await listeners.askEach(request, TRACKING, knowing))) return false;
    listeners.state.tracking.apply(request);
  }
  if (!isMonitoring) return true;
  if (isRefusedIn(await listeners.askEach(encodeCommand(["MONITOR"]), MONITOR, knowing))) return false;
  listeners.state.isMonitoring = true;
  return true;
}

function isRefusedIn(replies: readonly Buffer[]): boolean {
  return replies.some((reply) => reply[0] === MINUS);
}

const MINUS = 45;
const TRACKING: CommandEntry = { name: "CLIENT|TRACKING", commandClass: "tracking", note: "" };
const MONITOR: CommandEntry = { name: "MONITOR", commandClass: "monitor", note: "" };
