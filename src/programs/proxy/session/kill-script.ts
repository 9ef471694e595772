import { messageOf } from "../../../core/base/fault.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { argumentsOf } from "../protocol/arguments.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";

/** What ending a script needs of the session that asks for it. */
export interface KillingSession {
  readonly endpoint: { readonly primary: Pick<PrimaryView, "upstream" | "unavailable" | "refusal"> };
  readonly identity: Pick<ClientIdentity, "user">;
  readonly pinned: Pick<PinnedRoute, "current">;
  /** The client waits for a reply. */
  readonly hasPending: boolean;
  /** Answers in the engine's place; false when earlier replies are missing. */
  answer(reply: Buffer): boolean;
  /** Takes no request until `work` is over; it must not reject. */
  waitFor(work: Promise<void>): void;
}

/**
 * SCRIPT KILL or FUNCTION KILL on a connection that no client uses: those of clients may wait behind the script. The engine
 * decides, with the rights of the client.
 */
export function killScript(session: KillingSession, request: Buffer): boolean {
  if (session.hasPending) return false;
  const { upstream, unavailable, refusal } = session.endpoint.primary;
  if (upstream === undefined) return unavailable && session.answer(refusal);
  const asking = upstream
    .ask(argumentsOf(request), session.identity.user)
    .catch((error: unknown) => errorReply(`ERR store: the script cannot be ended: ${messageOf(error)}`));
  session.waitFor(
    asking.then((reply) => {
      // it ends a moment later, and what comes meanwhile waits for that
      if (reply.equals(replies.ok)) upstream.busy.over();
      session.answer(reply);
    }),
  );
  return true;
}
