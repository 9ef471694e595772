import { hostOf } from "../client/identity.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PinnedOwner } from "./pinned-owner.ts";

/** Counts a login that the engine has refused for the client's address. */
export function noteFailedLogin({ endpoint, identity }: PinnedOwner, { kind }: PendingRequest, reply: Buffer): void {
  if ((kind === "auth" || kind === "hello") && reply.toString("latin1", 0, WRONG.length) === WRONG)
    endpoint.credentials.failed.note(hostOf(identity));
}

const WRONG = "-WRONGPASS";
