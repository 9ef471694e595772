import { hostOf } from "../client/identity.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PinnedOwner } from "./pinned-owner.ts";

/** Notes what the engine has found of the password of a client. */
export function settleLogin(owner: PinnedOwner, { kind }: PendingRequest, reply: Buffer): void {
  if (kind !== "auth" && kind !== "hello") return;
  const { endpoint, identity } = owner;
  const login = { address: hostOf(identity), connection: identity, isGone: () => owner.ended };
  // the answer goes out at once: the next password of this connection waits for its turn
  void endpoint.credentials.turns.settle(login, reply.toString("latin1", 0, WRONG.length) !== WRONG);
}

const WRONG = "-WRONGPASS";
