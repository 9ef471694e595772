import { encodeCommand } from "../../../ports/resp/encode.ts";

/** SUBSCRIBE, PSUBSCRIBE or SSUBSCRIBE. */
export type SubscribeVerb = "SUBSCRIBE" | "PSUBSCRIBE" | "SSUBSCRIBE";

/** How many channels of each kind a client has subscribed to. */
export interface SubscriptionCounts {
  readonly channels: number;
  readonly patterns: number;
  readonly sharded: number;
}

/** The channels and patterns that a client has subscribed to. */
export class Subscriptions {
  /** By their bytes: a character is one. */
  readonly #channels = new Map<SubscribeVerb, Set<string>>();
  #bytes = 0;

  /** The memory that they take. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return VERBS.reduce((sum, verb) => sum + this.#of(verb).size, 0);
  }

  get counts(): SubscriptionCounts {
    const [channels, patterns, sharded] = [this.#of("SUBSCRIBE"), this.#of("PSUBSCRIBE"), this.#of("SSUBSCRIBE")];
    return { channels: channels.size, patterns: patterns.size, sharded: sharded.size };
  }

  /** Those that an UNSUBSCRIBE of that kind ends. */
  named(name: string): readonly Buffer[] {
    return [...this.#of(effectOf(name).verb)].map((channel) => Buffer.from(channel, "latin1"));
  }

  /** The client has none any more. */
  clear(): void {
    this.#channels.clear();
    this.#bytes = 0;
  }

  /** True for a message on this connection. Messages look like data in RESP2, where only a subscriber gets them, and no data. */
  isMessage(frame: Buffer, protocol: number): boolean {
    return protocol === 2 && this.size > 0 ? isMessage(frame) : isPushed(frame);
  }

  /** Applies a command that the engine has confirmed. */
  apply(args: readonly Buffer[], name: string): void {
    const { verb, adds } = effectOf(name);
    const known = this.#of(verb);
    const named = args.slice(1).map((channel) => channel.toString("latin1"));
    const channels = adds || named.length > 0 ? named : [...known];
    for (const channel of channels) {
      const before = known.size;
      if (adds) known.add(channel);
      else known.delete(channel);
      this.#bytes += (known.size - before) * (CHANNEL_BYTES + channel.length);
    }
  }

  /** How many confirmations an engine sends for this command. */
  confirmations(args: readonly Buffer[], name: string): number {
    const { verb, adds } = effectOf(name);
    if (adds || args.length > 1) return Math.max(1, args.length - 1);
    return Math.max(1, this.#of(verb).size);
  }

  /** The commands that bring an engine to the same subscriptions, and how many confirmations they cause. */
  replay(): { readonly commands: readonly Buffer[]; readonly confirmations: number } {
    const commands = VERBS.filter((verb) => this.#of(verb).size > 0).map((verb) =>
      encodeCommand([verb, ...[...this.#of(verb)].map((channel) => Buffer.from(channel, "latin1"))]),
    );
    return { commands, confirmations: this.size };
  }

  #of(verb: SubscribeVerb): Set<string> {
    const known = this.#channels.get(verb);
    if (known !== undefined) return known;
    const channels = new Set<string>();
    this.#channels.set(verb, channels);
    return channels;
  }
}

/**
 * True for a frame that answers no command, on a connection whose requests may be answered with any data: RESP3 has a type
 * of its own for messages. Confirmations of subscriptions have that type too, and answer a command.
 */
export function isPushed(frame: Buffer): boolean {
  return frame[0] === PUSH && !CONFIRMATIONS.has(elementOf(frame, 0));
}

/**
 * True for a frame that is a published message, on a connection that has subscribed. In RESP2 messages are arrays: only the
 * engine's rule that a subscriber cannot ask for data makes them distinct.
 */
export function isMessage(frame: Buffer): boolean {
  return isPushed(frame) || (frame[0] === ARRAY && MESSAGES.has(elementOf(frame, 0)));
}

/** The channel that a message was published to; empty when the frame is none. */
export function channelOf(message: Buffer): string {
  const kind = elementOf(message, 0);
  return MESSAGES.has(kind) ? elementOf(message, kind === "pmessage" ? 2 : 1) : "";
}

/** What was published; empty when the frame is no message. */
export function payloadOf(message: Buffer): string {
  const kind = elementOf(message, 0);
  return MESSAGES.has(kind) ? elementOf(message, kind === "pmessage" ? 3 : 2) : "";
}

/** True for a command about channels or patterns that a client has at each shard; those of SSUBSCRIBE belong to a slot. */
export function isKeptByAll(name: string): boolean {
  return effectOf(name).verb !== "SSUBSCRIBE";
}

/** What a channel takes beside its name. */
const CHANNEL_BYTES = 64;
const PUSH = 62;
const ARRAY = 42;
const DOLLAR = 36;
const LF = 10;
const MESSAGES: ReadonlySet<string> = new Set(["message", "pmessage", "smessage"]);
const CONFIRMATIONS: ReadonlySet<string> = new Set(
  ["subscribe", "psubscribe", "ssubscribe"].flatMap((name) => [name, name.replace("sub", "unsub")]),
);
const VERBS: readonly SubscribeVerb[] = ["SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE"];

function effectOf(name: string): { readonly verb: SubscribeVerb; readonly adds: boolean } {
  const adds = !name.includes("UNSUB");
  const verb = VERBS.find((candidate) => candidate === name.replace("UNSUB", "SUB")) ?? "SUBSCRIBE";
  return { verb, adds };
}

/** The string at `index` of an array or push of strings; empty when there is none. */
function elementOf(frame: Buffer, index: number): string {
  let at = frame.indexOf(LF) + 1;
  for (let i = 0; at > 0 && frame[at] === DOLLAR; i++) {
    const start = frame.indexOf(LF, at) + 1;
    const length = Number(frame.toString("latin1", at + 1, start - 2));
    if (i === index) return frame.toString("latin1", start, start + length);
    at = start + length + 2;
  }
  return "";
}
