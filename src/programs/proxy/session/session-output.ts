import { ClientOutput } from "../client/client-output.ts";
import type { OutputPart } from "../client/session-parts.ts";
import { LIMITS } from "../limits/limits.ts";
import type { Wire } from "../upstream/wire.ts";
import type { OwnParts } from "./own-parts.ts";
import { onlyRoute } from "../upstream/only-route.ts";

/** What one client is sent, in order. */
export class SessionOutput implements OutputPart {
  readonly #parts: Pick<OwnParts, "endpoint" | "replyMode" | "pinned" | "life">;
  readonly #queue: ClientOutput;

  /** `drained`: the client has read all, after much has waited. */
  constructor(
    parts: Pick<OwnParts, "endpoint" | "replyMode" | "pinned" | "life">,
    wire: Wire,
    cut: (why: string) => void,
    drained: () => void,
  ) {
    this.#parts = parts;
    const { clock, memory: budget } = parts.endpoint;
    this.#queue = new ClientOutput(wire, { clock, budget, cut }, drained);
  }

  /** What waits until the client reads it. */
  get queuedBytes(): number {
    return this.#queue.queuedBytes;
  }

  get congested(): boolean {
    return this.#queue.queuedBytes > LIMITS.congestedBytes;
  }

  reply(reply: Buffer): void {
    this.#parts.endpoint.counters.noteReply(reply);
    this.deliver(reply);
  }

  deliver(bytes: Buffer): void {
    if (!this.#parts.replyMode.silent) this.push(bytes);
  }

  push(bytes: Buffer): void {
    const { life, endpoint, pinned } = this.#parts;
    if (life.ended) return;
    endpoint.counters.sentBytes += bytes.length;
    this.#queue.write(bytes);
    if (this.congested && !onlyRoute(endpoint).held) pinned.current?.pause();
  }

  /** Sends `last`, and FIN behind it. */
  end(last: Buffer | undefined): void {
    if (last !== undefined) this.#queue.write(last);
    this.#queue.end();
  }

  /** The client is gone. */
  stop(): void {
    this.#queue.stop();
  }
}
