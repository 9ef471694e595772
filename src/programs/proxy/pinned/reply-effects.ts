import { hostOf } from "../client/identity.ts";
import type { Pin } from "../upstream/pin.ts";
import type { ConnectionState } from "./connection-state.ts";
import { LearntScripts } from "./learnt-scripts.ts";
import type { PendingKind, PendingRequest } from "./pending-request.ts";
import type { PinnedOwner } from "./pinned-owner.ts";

/** What a reply that counts changes, beside what its client gets. */
export class ReplyEffects {
  readonly #owner: PinnedOwner;
  readonly #state: ConnectionState;
  readonly #scripts: LearntScripts;

  constructor(owner: PinnedOwner, state: ConnectionState) {
    this.#owner = owner;
    this.#state = state;
    this.#scripts = new LearntScripts(owner.endpoint.scripts);
  }

  /** Applies a reply that has come over `pin`, or over one that is gone. */
  apply(pending: PendingRequest, frame: Buffer, pin: Pin | undefined): void {
    this.#state.apply(pending, frame, this.#owner.identity);
    this.#scripts.apply(pending, frame);
    settleLogin(this.#owner, pending, frame);
    if (pin !== undefined) {
      pin.tainted ||= this.#state.irreversible || mayStayOpen(pending, frame);
      pin.monitoring = this.#state.monitoring;
    }
    pending.own?.settled(frame);
  }
}

/** Notes what the engine has found of the password of a client. */
function settleLogin(owner: PinnedOwner, { kind }: PendingRequest, reply: Buffer): void {
  if (kind !== "auth" && kind !== "hello") return;
  const { endpoint, identity } = owner;
  const login = { address: hostOf(identity), connection: identity, isGone: () => owner.ended };
  // the answer goes out at once: the next password of this connection waits for its turn
  void endpoint.credentials.turns.settle(login, reply.toString("latin1", 0, WRONG.length) !== WRONG);
}

/** Behind what an engine refuses of a transaction only the engine knows whether one is open: no other client gets the connection. */
function mayStayOpen({ kind }: PendingRequest, reply: Buffer): boolean {
  return reply[0] === MINUS && OF_TRANSACTIONS.has(kind);
}

const OF_TRANSACTIONS: ReadonlySet<PendingKind> = new Set(["multi", "queued", "exec", "discard", "watch", "unwatch"]);
const MINUS = 45;
const WRONG = "-WRONGPASS";
