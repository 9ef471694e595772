import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import type { ReturningWork } from "./give-back.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import type { ShardListeners } from "../pinned/shard-listeners.ts";
import { redirectTarget } from "../pinned/tracking-options.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { mergeLeast, mergeLeastOfEach, mergeOks } from "../protocol/merged-replies.ts";
import { arrayReply, bulkReply, notWithShards, wrongNumber } from "../protocol/replies.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";

/** The parts of a session that has something sent to it, or asks all shards over connections of its own. */
interface ListeningSession {
  readonly endpoint: { readonly counters: { requests: number } };
  readonly identity: Pick<ClientIdentity, "settings">;
  readonly output: Pick<SessionParts["output"], "push">;
  readonly pinned: Pick<PinnedRoute, "listeners" | "take">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
  readonly work: ReturningWork;
}

/**
 * Takes a command about subscriptions, CLIENT TRACKING, MONITOR or WAIT: over the client's connection to the only shard, or over one to each of
 * several; false when it cannot be sent now.
 */
export function takeListening(session: ListeningSession, request: Buffer, command: CommandEntry): boolean {
  const { pinned, work, turns } = session;
  const { listeners } = pinned;
  if (listeners === undefined) return pinned.take(request, command);
  if (work.hasPending) return false;
  // a copy: what came with it is not kept
  const own = Buffer.from(request);
  if (command.commandClass === "subscription") return takeSubscription(session, listeners, own, command);
  if (command.commandClass === "tracking" && redirectTarget(own) !== undefined)
    return turns.answer(notWithShards("CLIENT TRACKING with REDIRECT"));
  turns.waitFor(
    listeners.askEach(own, command).then((found) => {
      // other shards serve, and were not asked
      if (pinned.listeners !== listeners) return void work.crossing.giveBack(own);
      const reply = mergeOf(command)(found);
      if (reply[0] === PLUS) note(listeners, own, command);
      turns.answer(reply);
    }),
  );
  return true;
}

function takeSubscription(
  { turns, output, endpoint, pinned, work }: ListeningSession,
  listeners: ShardListeners,
  request: Buffer,
  command: CommandEntry,
): boolean {
  const args = requestArguments(request);
  if (args.length === 1 && !command.name.includes("UNSUB")) return turns.answer(wrongNumber(command.name));
  endpoint.counters.requests++;
  turns.waitFor(
    listeners.change(args, command).then((frames) => {
      if (pinned.listeners !== listeners) return void work.crossing.giveBack(request);
      for (const frame of frames) output.push(frame);
    }),
  );
  return true;
}

function mergeOf({ name }: CommandEntry): (found: readonly Buffer[]) => Buffer {
  if (name === "WAIT") return mergeLeast;
  return name === "WAITAOF" ? mergeLeastOfEach : mergeOks;
}

/** All shards have taken it. */
function note({ state }: ShardListeners, request: Buffer, { commandClass }: CommandEntry): void {
  if (commandClass === "monitor") state.isMonitoring = true;
  if (commandClass === "tracking") state.tracking.apply(request);
}

/** What a subscriber of the old protocol gets for PING. */
export function pongOfSubscriber(request: Buffer): Buffer {
  const [, text = Buffer.alloc(0), ...more] = requestArguments(request);
  if (more.length > 0) return wrongNumber("PING");
  return arrayReply([bulkReply(Buffer.from("pong"), 2), bulkReply(text, 2)]);
}

const PLUS = 43;
