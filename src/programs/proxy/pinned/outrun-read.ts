import { isRead } from "../protocol/commands.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { PendingRequest } from "./pending-request.ts";

/**
 * True for a read that the engine may have executed while another one was the primary already: it waited there behind a blocking
 * command when its clients were held. The primary is asked again.
 */
export function isOutrun(
  { kind, request, isBehind = false }: PendingRequest,
  { held, upstream }: Pick<PrimaryView, "held" | "upstream">,
  asked: Upstream,
): boolean {
  return isBehind && (held || upstream !== asked) && kind === "command" && isRead(request);
}
