import { messageOf } from "#kit/base/fault";
import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { onlyRoute, type Routes } from "../upstream/only-route.ts";

/** The parts of the session that asks for the end of a script. */
export interface KillingSession extends Pick<SessionParts, "work"> {
  readonly endpoint: { readonly routes: Routes<Pick<PrimaryView, "upstream" | "unavailable" | "refusal">> };
  readonly identity: Pick<ClientIdentity, "user">;
  readonly pinned: Pick<PinnedRoute, "current">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
}

/**
 * SCRIPT KILL or FUNCTION KILL on a connection that no client uses: those of clients may wait behind the script. The engine
 * decides, with the rights of the client.
 */
export function forwardScriptKill(session: KillingSession, request: Buffer): boolean {
  if (session.work.hasPending) return false;
  const { upstream, unavailable, refusal } = onlyRoute(session.endpoint);
  if (upstream === undefined) return unavailable && session.turns.answer(refusal);
  const asking = upstream
    .ask(requestArguments(request), session.identity.user)
    .catch((error: unknown) => errorReply(`ERR store: the script cannot be ended: ${messageOf(error)}`));
  session.turns.waitFor(
    asking.then((reply) => {
      // it ends a moment later, and what comes meanwhile waits for that
      if (reply.equals(replies.ok)) upstream.busy.over();
      session.turns.answer(reply);
    }),
  );
  return true;
}
