import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { LIMITS } from "../limits/limits.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { OwnParts } from "./own-parts.ts";
import type { TableCrossing } from "./table-crossing.ts";

/** What one client waits for, as its session and a move see it. */
export class SessionWork {
  /** Its way to other shards, when they take the place of those that served. */
  readonly crossing: TableCrossing;
  readonly #parts: Pick<OwnParts, "shared" | "pinned" | "uploads" | "life">;

  constructor(parts: Pick<OwnParts, "shared" | "pinned" | "uploads" | "life">, crossing: TableCrossing) {
    this.#parts = parts;
    this.crossing = crossing;
  }

  /** True while a request of this client is at an engine; one that blocks does not count. */
  get busy(): boolean {
    const { shared, pinned } = this.#parts;
    return shared.inFlight > 0 || this.outstanding !== undefined || pinned.current?.work.busy === true;
  }

  /** The same for requests at one primary of the database. */
  isBusyAt(primary: PrimaryView): boolean {
    const { pinned, uploads } = this.#parts;
    if (this.crossing.ways.isBusyAt(primary) || uploads.outstandingAt(primary) !== undefined) return true;
    return pinned.allAt(primary).some(({ work }) => work.busy);
  }

  /** The request of this client, on a connection of its own, that a move has to wait for. */
  get outstanding(): OutstandingRequest | undefined {
    const { pinned, uploads } = this.#parts;
    return pinned.current?.work.oldest ?? uploads.current?.outstanding;
  }

  /** The same of a move of one of several shards. */
  outstandingAt(primary: PrimaryView): OutstandingRequest | undefined {
    const { pinned, uploads } = this.#parts;
    const oldest = pinned.allAt(primary).map(({ work }) => work.oldest);
    return oldest.find((request) => request !== undefined) ?? uploads.outstandingAt(primary);
  }

  /** True while the client waits for a reply of any kind. */
  get hasPending(): boolean {
    const { shared, pinned, uploads } = this.#parts;
    return shared.hasPending || (pinned.current?.work.hasPending ?? uploads.current?.started ?? false);
  }

  answerBehind(reply: Buffer): boolean {
    return this.crossing.ways.answerBehind(reply);
  }

  /** Called while a move of this primary waits: cuts a client whose request a move has waited for in vain, and reads on for a client that reads slowly. */
  cutOverdueAt(primary: PrimaryView): void {
    const { command = "", ageMs = 0 } = this.outstandingAt(primary) ?? {};
    if (ageMs > LIMITS.patienceMs) this.#parts.life.cut(`${command} has taken too long for a change of primary`);
    else for (const one of this.#parts.pinned.allAt(primary)) one.resume();
  }
}
