import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { commandName } from "../protocol/arguments.ts";
import type { PinnedOwner } from "./pinned-owner.ts";
import { isRepeatable } from "./pending-request.ts";
import type { PendingRequest } from "./pending-request.ts";

/** The requests of a pinned session that are not answered, in order. */
export class PendingQueue {
  /** At the engine. */
  readonly #sent: PendingRequest[] = [];
  /** Not executed: to be sent again at the next engine. */
  #refused: PendingRequest[] = [];
  #answeredAt = 0;
  #bytes = 0;

  /** What is kept of requests and answers. */
  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#sent.length;
  }

  /** The client waits for a reply. */
  get hasPending(): boolean {
    return this.#sent.length > 0 || this.#refused.length > 0;
  }

  /** Something other than a blocking command is at the engine. */
  get busy(): boolean {
    return this.#sent.some(({ kind }) => kind !== "blocking" && kind !== "internal");
  }

  /** The oldest request of `client` that `busy` counts; its age counts from the last reply, and `nowMs` is the uptime. */
  oldest(client: string, nowMs: number): OutstandingRequest | undefined {
    const oldest = this.#sent.find(({ kind }) => kind !== "blocking" && kind !== "internal");
    if (oldest === undefined) return undefined;
    const ageMs = Math.max(0, nowMs - Math.max(oldest.since, this.#answeredAt));
    return { client, command: commandName(oldest.request), ageMs };
  }

  /** Only a blocking command is at the engine. */
  get blocked(): boolean {
    return !this.busy && this.#sent.some(({ kind }) => kind === "blocking");
  }

  /** A WATCH is not answered. */
  get watches(): boolean {
    return [...this.#sent, ...this.#refused].some(({ kind }) => kind === "watch");
  }

  get hasRefused(): boolean {
    return this.#refused.length > 0;
  }

  push(pending: PendingRequest): void {
    this.#sent.push(pending);
    this.#bytes += bytesOf(pending);
  }

  /** The proxy takes blocking commands back: what says so is not for the client. */
  withdraw(): void {
    for (const pending of this.#sent) if (pending.kind === "blocking") pending.withdrawn = true;
  }

  /** The request that the next reply belongs to; it leaves the queue with its last reply. */
  next(frame: Buffer, nowMs: number): PendingRequest | undefined {
    this.#answeredAt = nowMs;
    const [first] = this.#sent;
    if (first === undefined) return undefined;
    // a subscription to many channels is confirmed channel by channel, but refused once
    first.replies = frame[0] === MINUS ? 0 : first.replies - 1;
    if (first.replies === 0) {
      this.#sent.shift();
      this.#bytes -= bytesOf(first);
    }
    return first;
  }

  /** Gives the client the answer that has just arrived, and counts how long it took; a command that blocks says nothing of that. */
  answer(client: Pick<PinnedOwner, "endpoint" | "reply">, pending: PendingRequest, answer: Buffer): void {
    const { kind, since, replies, isLate, substitute = answer } = pending;
    const { answered, answeredLate } = client.endpoint.counters;
    if (kind !== "blocking" && replies === 0)
      (isLate === true ? answeredLate : answered).add((this.#answeredAt - since) / 1000);
    client.reply(substitute);
  }

  /** Keeps a request that was not executed, unless it is one of the proxy itself; with what the client may get instead. */
  refuse(pending: PendingRequest, answer?: Buffer): void {
    if (pending.kind === "internal") return;
    const refused = answer === undefined ? pending : { ...pending, answer };
    this.#refused.push(refused);
    this.#bytes += bytesOf(refused);
  }

  /** Each request that was not executed has an answer for the client. */
  get mayGiveUp(): boolean {
    return this.#refused.every(({ answer }) => answer !== undefined);
  }

  /** The engine is gone: true when all that was sent may be sent again. */
  refuseAll(): boolean {
    if (!this.#sent.every(isRepeatable)) return false;
    this.#refused.push(...this.#sent.splice(0));
    return true;
  }

  /** Takes out the requests that were not executed. */
  takeRefused(): readonly PendingRequest[] {
    const refused = this.#refused.splice(0);
    for (const pending of refused) {
      this.#bytes -= bytesOf(pending);
      pending.isLate = true;
    }
    return refused;
  }
}

function bytesOf({ request, answer }: PendingRequest): number {
  return request.length + (answer?.length ?? 0);
}

const MINUS = 45;
