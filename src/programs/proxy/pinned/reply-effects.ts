import { hostOf } from "../client/identity.ts";
import type { Pin } from "../upstream/pin.ts";
import type { ConnectionState } from "./connection-state.ts";
import { LearntScripts } from "./learnt-scripts.ts";
import type { PendingKind, PendingRequest } from "./pending-request.ts";
import type { PinnedParts } from "./pinned-parts.ts";

/** What a reply that counts changes, beside what its client gets. */
export class ReplyEffects {
  readonly #parts: PinnedParts;
  readonly #state: ConnectionState;
  readonly #scripts: LearntScripts;

  constructor(parts: PinnedParts, state: ConnectionState) {
    this.#parts = parts;
    this.#state = state;
    this.#scripts = new LearntScripts(parts.endpoint.scripts);
  }

  /** Applies a reply that has come over `pin`, or over one that is gone. */
  apply(pending: PendingRequest, frame: Buffer, pin: Pin | undefined): void {
    this.#state.apply(pending, frame, this.#parts.identity);
    this.#scripts.apply(pending, frame);
    settleLogin(this.#parts, pending, frame);
    if (pin !== undefined) {
      pin.tainted ||= this.#state.irreversible || mayStayOpen(pending, frame);
      pin.monitoring = this.#state.monitoring;
    }
    pending.own?.settled(frame);
  }
}

/** Notes what the engine has found of the password of a client. */
function settleLogin(parts: PinnedParts, { kind }: PendingRequest, reply: Buffer): void {
  if (kind !== "auth" && kind !== "hello") return;
  const { endpoint, identity } = parts;
  const login = { address: hostOf(identity), connection: identity, isGone: () => parts.life.ended };
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
