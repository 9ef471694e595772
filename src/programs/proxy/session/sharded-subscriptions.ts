import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { arrayReply, bulkReply, wrongNumber } from "../protocol/replies.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";

/** The parts of a session that subscribes to channels. */
interface SubscribingSession {
  readonly endpoint: { readonly counters: { requests: number } };
  readonly identity: Pick<ClientIdentity, "settings">;
  readonly output: Pick<SessionParts["output"], "push">;
  readonly pinned: Pick<PinnedRoute, "listeners" | "take">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
  readonly work: { readonly hasPending: boolean };
}

/** Takes a command about subscriptions: over the client's connection to the only shard, or over those to several; false when it cannot be sent now. */
export function takeSubscription(session: SubscribingSession, request: Buffer, command: CommandEntry): boolean {
  const { pinned, work, turns, output, endpoint } = session;
  if (pinned.listeners === undefined) return pinned.take(request, command);
  if (work.hasPending) return false;
  // a copy: what came with it is not kept
  const args = requestArguments(Buffer.from(request));
  if (args.length === 1 && !command.name.includes("UNSUB")) return turns.answer(wrongNumber(command.name));
  endpoint.counters.requests++;
  turns.waitFor(
    pinned.listeners.change(args, command).then((frames) => {
      for (const frame of frames) output.push(frame);
    }),
  );
  return true;
}

/** What a subscriber of the old protocol gets for PING. */
export function pongOfSubscriber(request: Buffer): Buffer {
  const [, text = Buffer.alloc(0), ...more] = requestArguments(request);
  if (more.length > 0) return wrongNumber("PING");
  return arrayReply([bulkReply(Buffer.from("pong"), 2), bulkReply(text, 2)]);
}
