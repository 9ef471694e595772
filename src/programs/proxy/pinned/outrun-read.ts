import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { isRepeatable } from "./pending-request.ts";
import type { PendingRequest } from "./pending-request.ts";

/**
 * True for a read, or a transaction of reads, that the engine may have executed while another one was the primary already: it
 * waited there behind a blocking command when its clients were held. The primary is asked again.
 */
export function isOutrun(
  pending: PendingRequest,
  reply: Buffer,
  { held, upstream }: Pick<PrimaryView, "held" | "upstream">,
  asked: Upstream,
): boolean {
  const { kind, isBehind = false } = pending;
  if (!isBehind || (!held && upstream === asked) || !isRepeatable(pending)) return false;
  // its wait may have been ended by another client
  if (kind === "blocking") return reply[0] !== MINUS;
  return kind === "command" || kind === "exec";
}

const MINUS = 45;
