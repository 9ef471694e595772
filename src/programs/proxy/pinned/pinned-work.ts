import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import type { Clock } from "#kit/base/clock";
import type { StateMachine } from "#kit/base/state-machine";
import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import type { Pin } from "../upstream/pin.ts";
import type { ConnectionState } from "./connection-state.ts";
import { EndedInput } from "./ended-input.ts";
import type { PendingQueue } from "./pending-queue.ts";
import { isAsking, type PinEvent, type PinState } from "./pin-states.ts";
import type { PinnedCommands } from "./pinned-commands.ts";

/** The parts of a pinned session that know what is not done yet. */
export interface WorkingParts {
  readonly clock: Clock;
  readonly identity: ClientIdentity;
  readonly state: ConnectionState;
  readonly pending: PendingQueue;
  readonly commands: Pick<PinnedCommands, "inTransaction">;
  readonly machine: StateMachine<PinState, PinEvent>;
  readonly life: Pick<SessionParts["life"], "finish">;
  /** The connection to the engine, while there is one. */
  readonly pin: () => Pin | undefined;
}

/** What the client of a pinned session waits for, as its session and a move see it. */
export class PinnedWork {
  /** What becomes of it when the client sends nothing more. */
  readonly endedInput: EndedInput;
  readonly #parts: WorkingParts;

  constructor(parts: WorkingParts) {
    this.#parts = parts;
    this.endedInput = new EndedInput(parts.life, parts.pending, parts.pin);
  }

  /** Where the session is. */
  get at(): PinState {
    return this.#parts.machine.state;
  }

  /** Something other than a blocking command is at the engine. */
  get busy(): boolean {
    return this.#parts.pending.busy || this.#isAsking;
  }

  /** The oldest of what `busy` counts; its age counts from the last reply. */
  get oldest(): OutstandingRequest | undefined {
    const { pending, identity, clock } = this.#parts;
    return pending.oldest(identity.address, clock.uptimeMs());
  }

  /** The client waits for a blocking command before anything else. */
  get isBlocked(): boolean {
    return this.#parts.pending.isBlocked && !this.#isAsking;
  }

  /** The client waits for a blocking command, perhaps behind others. */
  get awaitsBlocking(): boolean {
    return this.#parts.pending.has("blocking");
  }

  /** The client waits for a reply. */
  get hasPending(): boolean {
    const { pending } = this.#parts;
    return pending.unanswered > 0 || pending.hasRefused || this.#isAsking;
  }

  /** Between WATCH or MULTI and the EXEC that ends it; a WATCH counts from when it was sent. */
  get transactionPending(): boolean {
    const { commands, state, pending } = this.#parts;
    return commands.inTransaction || state.inTransaction || pending.has("watch");
  }

  get #isAsking(): boolean {
    return isAsking(this.#parts.machine.state);
  }
}
