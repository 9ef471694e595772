import type { SessionParts } from "../client/session-parts.ts";
import type { ReturningWork } from "./give-back.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import type { ListenerState } from "../pinned/listener-state.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "../protocol/arguments.ts";
import { isRead } from "../protocol/commands.ts";
import { errorReply, replies, wrongNumber } from "../protocol/replies.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import type { ShardWays } from "./shard-ways.ts";
import { splitByShard, type SplitRequest } from "./split-by-shard.ts";

/** The parts of a session that reads what engines track. */
interface TrackedSession {
  readonly pinned: Pick<PinnedRoute, "listeners">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
  readonly work: ReturningWork;
}

/**
 * Takes a request of a client of several shards whose reads are tracked, or which asks about that: one read at a time, over the connections that get
 * the invalidations. False when it cannot be sent now; undefined when it goes its usual way.
 */
export function takeTracked(
  session: TrackedSession,
  ways: ShardWays,
  request: Buffer,
  name: string,
): boolean | undefined {
  const { pinned, turns, work } = session;
  const { listeners } = pinned;
  if (listeners?.state.tracking.isOn !== true) return undefined;
  const { state } = listeners;
  if (name === "CLIENT|CACHING") return takeCaching(session, state, request);
  const split = splitTracked(state, ways, request, name);
  if (split === undefined) {
    // it was for this request
    if (!name.startsWith("CLIENT")) state.caching = undefined;
    return undefined;
  }
  if (work.hasPending) return false;
  // a copy: what came with it is not kept
  const own = Buffer.from(request);
  turns.waitFor(
    listeners.read(split.parts, READ).then((found) => {
      // other shards serve, and were not asked
      if (pinned.listeners !== listeners) return void work.crossing.giveBack(own);
      turns.answer(found.find((reply) => reply[0] === MINUS) ?? split.merge(found));
    }),
  );
  return true;
}

/** The parts of a read that is tracked, and of a question about tracking, which any shard answers alike; undefined for others. */
function splitTracked(
  { tracksReads }: ListenerState,
  ways: ShardWays,
  request: Buffer,
  name: string,
): SplitRequest | undefined {
  const isAsked = ABOUT_TRACKING.has(name);
  if (!isAsked && !(tracksReads && isRead(request))) return undefined;
  // a copy: what came with it is not kept
  const own = Buffer.from(request);
  return isAsked ? { parts: [{ shard: 0, request: own }], merge: onlyReply } : splitByShard(ways, own, name);
}

function takeCaching({ turns, work }: TrackedSession, state: ListenerState, request: Buffer): boolean {
  if (work.hasPending) return false;
  const args = requestArguments(request);
  if (args.length !== CACHING_WORDS) return turns.answer(wrongNumber("CLIENT|CACHING"));
  const word = keyword(args[2]);
  if (word !== "YES" && word !== "NO") return turns.answer(replies.syntax);
  const needed = word === "YES" ? "OPTIN" : "OPTOUT";
  if (!state.tracking.has(needed))
    return turns.answer(
      errorReply(`ERR CLIENT CACHING ${word} is only valid when tracking is enabled in ${needed} mode.`),
    );
  state.caching = Buffer.from(request);
  return turns.answer(replies.ok);
}

function onlyReply([reply = Buffer.alloc(0)]: readonly Buffer[]): Buffer {
  return reply;
}

const READ: CommandEntry = { name: "", commandClass: "read", note: "" };
const ABOUT_TRACKING: ReadonlySet<string> = new Set(["CLIENT|TRACKINGINFO", "CLIENT|GETREDIR"]);
const CACHING_WORDS = 3;
const MINUS = 45;
