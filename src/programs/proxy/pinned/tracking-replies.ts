import { arrayReply, integerReply } from "../protocol/replies.ts";
import { repliesIn } from "./exec-reply.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { TrackingOptions } from "./tracking-options.ts";

/** What the client is shown of a reply: numbers of engine connections are hidden behind those of clients. */
export function shownReply(
  { redirect }: Pick<TrackingOptions, "redirect">,
  { kind, request, special }: Pick<PendingRequest, "kind" | "request" | "special">,
  reply: Buffer,
): Buffer {
  if (redirect === undefined) return reply;
  if (kind === "command") return withRedirect(request, reply, redirect);
  const executed = kind === "exec" && special !== undefined ? repliesIn(reply) : undefined;
  if (executed === undefined || special === undefined) return reply;
  const places = [...executed];
  for (const [at, { request: queued }] of special) places[at] = withRedirect(queued, places[at] ?? NOTHING, redirect);
  return arrayReply(places);
}

/** What the client is shown of a message; one that says that the other client is gone is noted in `tracking`. */
export function shownMessage(tracking: TrackingOptions, message: Buffer): Buffer {
  const { redirect } = tracking;
  if (redirect === undefined || !message.subarray(0, BROKEN.length).equals(BROKEN)) return message;
  tracking.isBroken = true;
  return Buffer.concat([BROKEN, integerReply(redirect)]);
}

/** The word behind CLIENT; a large request is not looked through. */
export function clientSubcommand(request: Buffer): string | undefined {
  const beginning = request.toString("latin1", 0, 64);
  const [, subcommand] = /^\*\d+\r\n\$6\r\nCLIENT\r\n\$\d+\r\n(\w+)\r\n/i.exec(beginning) ?? [];
  return subcommand?.toUpperCase();
}

function withRedirect(request: Buffer, reply: Buffer, redirect: number): Buffer {
  const subcommand = clientSubcommand(request);
  if (subcommand !== "GETREDIR" && subcommand !== "TRACKINGINFO") return reply;
  const pattern = subcommand === "GETREDIR" ? /^(:)\d+/ : /(\$8\r\nredirect\r\n:)\d+/;
  return Buffer.from(reply.toString("latin1").replace(pattern, `$1${redirect}`), "latin1");
}

const BROKEN = Buffer.from(">2\r\n$21\r\ntracking-redir-broken\r\n");
const NOTHING = Buffer.alloc(0);
