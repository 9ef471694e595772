import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { commandName } from "../protocol/arguments.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { isUnblockedByCommand, isUnblockedByDemotion } from "../protocol/refusals.ts";
import { isOfConnection, isRepeatable, mustFollowAnswer } from "./pending-request.ts";
import type { PendingKind, PendingRequest } from "./pending-request.ts";

/** The requests of a pinned session that are not answered, in order. */
export class PendingQueue {
  /** At the engine. */
  readonly #sent: PendingRequest[] = [];
  /** Not executed: to be sent again at the next engine. */
  #refused: PendingRequest[] = [];
  /** Not sent yet: they wait until a blocking command at the engine is answered. */
  #putOff: PendingRequest[] = [];
  #answeredAt = 0;
  /** The last reply says that the engine was demoted: the engine executes nothing behind it, and ends the connection. */
  #endsHere = false;
  #bytes = 0;

  /** What is kept of requests and answers. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many are at the engine. */
  get length(): number {
    return this.#sent.length;
  }

  /** How many are at the engine, or wait to be sent there. */
  get unanswered(): number {
    return this.#sent.length + this.#putOff.length;
  }

  /** Something other than a blocking command is at the engine; what waits there behind such a command does not count. */
  get busy(): boolean {
    return this.#executing !== undefined;
  }

  /** The oldest request of `client` that `busy` counts; its age counts from the last reply, and `nowMs` is the uptime. */
  oldest(client: string, nowMs: number): OutstandingRequest | undefined {
    const oldest = this.#executing;
    if (oldest === undefined) return undefined;
    const ageMs = Math.max(0, nowMs - Math.max(oldest.since, this.#answeredAt));
    return { client, command: commandName(oldest.request), ageMs };
  }

  /** The blocking command that the engine answers next. */
  get blocking(): PendingRequest | undefined {
    return this.busy ? undefined : this.#sent.find(({ kind }) => kind === "blocking");
  }

  /** The client waits for a blocking command before anything else, wherever that is. */
  get isBlocked(): boolean {
    const all = [...this.#refused, ...this.#sent, ...this.#putOff];
    const first = all.find(({ kind }) => kind !== "internal");
    return all.length > 0 && (first === undefined || first.kind === "blocking");
  }

  /** A request of one of these kinds is not answered. */
  has(...kinds: readonly PendingKind[]): boolean {
    return [...this.#sent, ...this.#refused, ...this.#putOff].some(({ kind }) => kinds.includes(kind));
  }

  /** A blocking command has waited at an engine, and is to wait at the next one. */
  get hasWaited(): boolean {
    return this.#refused[0]?.hasWaited === true;
  }

  get hasRefused(): boolean {
    return this.#refused.length > 0;
  }

  /** The requests that were not executed: all of them, or those of one kind. */
  refusedRequests(only?: PendingKind): readonly Buffer[] {
    return this.#refused.filter(({ kind }) => only === undefined || kind === only).map(({ request }) => request);
  }

  /** What the engine executes before a blocking command. */
  get #executing(): PendingRequest | undefined {
    const next = this.#sent.find(({ kind }) => kind !== "internal");
    return next?.kind === "blocking" ? undefined : next;
  }

  /** Notes a request that is about to be sent; false when it must not be sent yet, and is put off. */
  push(pending: PendingRequest): boolean {
    pending.isBehind = this.#isBlocking;
    this.#bytes += bytesOf(pending);
    const isPutOff = this.#putOff.length > 0 || (pending.isBehind && mustFollowAnswer(pending));
    (isPutOff ? this.#putOff : this.#sent).push(pending);
    return !isPutOff;
  }

  /** Takes out what was put off, once no blocking command is at the engine. */
  takePutOff(): readonly PendingRequest[] {
    if (this.#isBlocking) return [];
    const putOff = this.#putOff.splice(0);
    for (const pending of putOff) this.#bytes -= bytesOf(pending);
    return putOff;
  }

  /** What was put off goes to the next engine, behind what was not executed. */
  refusePutOff(): void {
    for (const pending of this.#putOff.splice(0)) {
      this.#bytes -= bytesOf(pending);
      this.refuse(pending);
    }
  }

  /** A blocking command is at the engine, next or later. */
  get #isBlocking(): boolean {
    return this.#sent.some(({ kind }) => kind === "blocking");
  }

  /**
   * Takes blocking commands back for the proxy: the client does not get the replies that say so. False when requests that wait behind them would
   * be executed.
   */
  withdraw(): boolean {
    if (this.blocking === undefined || !this.#sent.every(maySitOut)) return false;
    for (const pending of this.#sent) if (pending.kind === "blocking") pending.withdrawn = true;
    return true;
  }

  /** The request that the next reply belongs to; it leaves the queue with its last reply. */
  next(frame: Buffer, nowMs: number): PendingRequest | undefined {
    this.#answeredAt = nowMs;
    const [first] = this.#sent;
    if (first === undefined) return undefined;
    // a subscription to many channels is confirmed channel by channel, but refused once
    first.replies = frame[0] === MINUS ? 0 : first.replies - 1;
    this.#endsHere = first.kind === "blocking" && isUnblockedByDemotion(frame);
    if (this.#endsHere || (first.kind === "blocking" && isUnblockedByCommand(frame))) first.hasWaited = true;
    if (first.replies === 0) {
      this.#sent.shift();
      this.#bytes -= bytesOf(first);
    }
    return first;
  }

  /** Gives the client the answer that has just arrived, and counts how long it took; a command that blocks says nothing of that. */
  answer(client: Pick<PinnedParts, "endpoint" | "output">, pending: PendingRequest, answer: Buffer): void {
    const { kind, count, since, replies, isLate, substitute = answer } = pending;
    if (count > 1 && isDelivered(pending)) return;
    const isPush = kind === "subscription" && substitute[0] !== MINUS;
    const { answered, answeredLate } = client.endpoint.counters;
    if (kind !== "blocking" && replies === 0)
      (isLate === true ? answeredLate : answered).add((this.#answeredAt - since) / 1000);
    if (isPush) client.output.push(substitute);
    else client.output.reply(substitute);
  }

  /** Keeps a request that was not executed, with the answer that the client may get instead; not a request for its connection alone. */
  refuse(pending: PendingRequest, answer?: Buffer): void {
    if (isOfConnection(pending)) {
      pending.own?.settled(undefined);
      return;
    }
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
    if (!this.#endsHere && !this.#sent.every(isRepeatable)) return false;
    this.#endsHere = false;
    for (const pending of this.#sent.splice(0)) {
      this.#bytes -= bytesOf(pending);
      this.refuse(pending);
    }
    this.refusePutOff();
    return true;
  }

  /** The client is to leave: drops what waits in a blocking command that was not executed, and behind it. True when something goes before that. */
  keepUnblocked(): boolean {
    const at = this.#refused.findIndex(({ kind }) => kind === "blocking");
    for (const pending of this.#refused.splice(at === -1 ? this.#refused.length : at)) {
      this.#bytes -= bytesOf(pending);
      pending.own?.settled(undefined);
    }
    return this.hasRefused;
  }

  /** The session needs no answer any more. */
  drop(): void {
    const all = [this.#sent, this.#refused, this.#putOff].flatMap((some) => some.splice(0));
    const own = all.map((pending) => pending.own);
    this.#bytes = 0;
    for (const one of own) one?.settled(undefined);
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

/** All replies to a request together, once the last one has come; until then undefined. */
export function wholeAnswer(pending: PendingRequest, reply: Buffer): Buffer | undefined {
  const { earlier, replies } = pending;
  const whole = earlier === undefined ? reply : Buffer.concat([earlier, reply]);
  pending.earlier = replies > 0 ? whole : undefined;
  return replies > 0 ? undefined : whole;
}

/** True of one of several replies that the client has got from an engine that was gone before the last reply; counts it as delivered. */
function isDelivered(pending: PendingRequest): boolean {
  const { count, replies, delivered = 0 } = pending;
  if (count - replies <= delivered) return true;
  pending.delivered = delivered + 1;
  return false;
}

/** It may be at an engine while the primary changes. */
function maySitOut({ kind }: PendingRequest): boolean {
  return kind === "blocking" || kind === "internal";
}

function bytesOf({ request, answer }: PendingRequest): number {
  return request.length + (answer?.length ?? 0);
}

const MINUS = 45;
