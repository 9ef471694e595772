import { encodeCommand } from "../../../ports/resp/encode.ts";

/** SUBSCRIBE, PSUBSCRIBE or SSUBSCRIBE. */
export type SubscribeVerb = "SUBSCRIBE" | "PSUBSCRIBE" | "SSUBSCRIBE";

/** The channels and patterns that a client has subscribed to. */
export class Subscriptions {
  readonly #channels = new Map<SubscribeVerb, Map<string, Buffer>>();

  get size(): number {
    return VERBS.reduce((sum, verb) => sum + this.#of(verb).size, 0);
  }

  /** Applies a command that the engine has confirmed. */
  apply(args: readonly Buffer[], name: string): void {
    const { verb, adds } = effectOf(name);
    const channels = args.slice(1);
    if (adds) for (const channel of channels) this.#of(verb).set(channel.toString("latin1"), Buffer.from(channel));
    else if (channels.length === 0) this.#of(verb).clear();
    else for (const channel of channels) this.#of(verb).delete(channel.toString("latin1"));
  }

  /** How many confirmations an engine sends for this command. */
  confirmations(args: readonly Buffer[], name: string): number {
    const { verb, adds } = effectOf(name);
    if (adds || args.length > 1) return args.length - 1;
    return Math.max(1, this.#of(verb).size);
  }

  /** The commands that bring an engine to the same subscriptions, and how many confirmations they cause. */
  replay(): { readonly commands: readonly Buffer[]; readonly confirmations: number } {
    const commands = VERBS.filter((verb) => this.#of(verb).size > 0).map((verb) =>
      encodeCommand([verb, ...this.#of(verb).values()]),
    );
    return { commands, confirmations: this.size };
  }

  #of(verb: SubscribeVerb): Map<string, Buffer> {
    const known = this.#channels.get(verb);
    if (known !== undefined) return known;
    const channels = new Map<string, Buffer>();
    this.#channels.set(verb, channels);
    return channels;
  }
}

/** True for a frame that is a published message and answers no command. */
export function isMessage(frame: Buffer): boolean {
  const head = frame.toString("latin1", 0, 24);
  return (
    /^[*>]\d\r\n\$\d+\r\n[ps]?message\r\n/.test(head) ||
    (frame[0] === PUSH && !/subscribe\r\n/.test(frame.toString("latin1", 0, 32)))
  );
}

const PUSH = 62;
const VERBS: readonly SubscribeVerb[] = ["SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE"];

function effectOf(name: string): { readonly verb: SubscribeVerb; readonly adds: boolean } {
  const adds = !name.includes("UNSUB");
  const verb = VERBS.find((candidate) => candidate === name.replace("UNSUB", "SUB")) ?? "SUBSCRIBE";
  return { verb, adds };
}
