import { assertNever } from "#kit/base/assert-never";
import type { ProxyReply } from "../../../ports/management/proxy-control.ts";
import { byAge, OF_WORKERS, sumOfStats } from "./endpoint-sums.ts";

/** What several workers have together. */
type Counted = Extract<Done, { readonly op: "drain" | "clients" | "scripts" | "stats" }>;
type Done = ProxyReply & { readonly ok: true };

/** What the proxy of a node replies, from the replies of its workers to one command: the first refusal, or what they say together. */
export function replyOfAll(replies: readonly ProxyReply[]): ProxyReply {
  const refusal = replies.find(({ ok }) => !ok);
  if (refusal !== undefined) return refusal;
  const [first, ...others] = replies.filter((reply): reply is Done => reply.ok);
  if (first === undefined) throw new Error("there is no worker");
  return others.reduce(joinReplies, first);
}

function joinReplies(one: Done, other: Done): Done {
  switch (one.op) {
    case "lease":
    case "prepare":
    case "confirm":
    case "logins":
    case "passwords":
    case "closed":
    case "fence":
    case "abort":
    case "undrain":
    case "prepare-table":
    case "abort-table":
      return one;
    case "configure":
      return { ...one, refused: [...new Set([...one.refused, ...as(one, other).refused])] };
    case "quiet":
      return { ...one, waitsFor: [...one.waitsFor, ...as(one, other).waitsFor].toSorted(byAge).slice(0, MOST_NAMED) };
    case "hold":
    case "hold-table":
      return { ...one, drainMs: Math.max(one.drainMs, as(one, other).drainMs) };
    case "release":
    case "release-table":
      return { ...one, heldMs: Math.max(one.heldMs, as(one, other).heldMs) };
    case "drain":
    case "clients":
    case "scripts":
    case "stats":
      return addReplies(one, other);
    default:
      return assertNever(one);
  }
}

function addReplies(one: Counted, other: Done): Done {
  switch (one.op) {
    case "drain": {
      const { closed, remaining } = as(one, other);
      return { ...one, closed: one.closed + closed, remaining: one.remaining + remaining };
    }
    case "clients": {
      const { lines, count } = as(one, other);
      return { ...one, lines: one.lines + lines, count: one.count + count };
    }
    case "scripts": {
      const { bodies, more } = as(one, other);
      return { ...one, bodies: [...one.bodies, ...bodies], more: one.more || more };
    }
    case "stats":
      return { ...one, endpoints: sumOfStats([...one.endpoints, ...as(one, other).endpoints], OF_WORKERS) };
    default:
      return assertNever(one);
  }
}

/** Both are replies to one command. */
function as<Kind extends Done>(one: Kind, other: Done): Kind {
  if (other.op !== one.op) throw new Error(`a worker replied to ${one.op} as to ${other.op}`);
  return other as Kind;
}

const MOST_NAMED = 5;
