import type { Arg } from "../../../ports/resp/encode.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "../protocol/arguments.ts";
import { integerIn } from "../protocol/integers.ts";

/** CLIENT TRACKING of one connection as its engine has it: prefixes of several requests add up, all else is as the last one says. */
export class TrackingOptions {
  /** The engine has said that the client that gets the invalidations is gone. */
  isBroken = false;
  #flags: ReadonlySet<string> | undefined;
  #redirect: number | undefined;
  /** Without overlaps: engines refuse them. */
  #prefixes: Buffer[] = [];
  /** A broadcast without a prefix is for all keys, whatever the prefixes are. */
  #isOfAllKeys = false;
  #bytes = 0;

  /** It is switched on. */
  get isOn(): boolean {
    return this.#flags !== undefined;
  }

  /** Every change of a key with one of its prefixes counts. */
  get isBroadcast(): boolean {
    return this.#flags?.has("BCAST") === true;
  }

  /** Nothing is tracked but what comes behind CLIENT CACHING. */
  get isChosen(): boolean {
    return this.#flags?.has("OPTIN") === true;
  }

  /** It was switched on with this word. */
  has(flag: "OPTIN" | "OPTOUT"): boolean {
    return this.#flags?.has(flag) === true;
  }

  /** The number of the client that gets the invalidations, when it is another connection. */
  get redirect(): number | undefined {
    return this.#redirect;
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** It is switched off. */
  clear(): void {
    this.#flags = this.#redirect = undefined;
    this.#prefixes = [];
    this.#isOfAllKeys = false;
    this.#bytes = 0;
  }

  /** Applies a request that the engine has taken. */
  apply(request: Buffer): void {
    const args = requestArguments(request);
    this.isBroken = false;
    if (keyword(args[2]) !== "ON") {
      this.clear();
      return;
    }
    const { flags, redirects, prefixes } = optionsIn(args);
    const [redirect] = redirects;
    this.#flags = flags;
    this.#redirect = redirect === undefined ? undefined : Number(args[redirect]?.toString("latin1"));
    this.#isOfAllKeys ||= prefixes.length === 0 && flags.has("BCAST");
    for (const at of prefixes) this.#add(args[at] ?? Buffer.alloc(0));
  }

  /** The commands that bring another engine to these options; the prefixes of one request must not overlap. */
  replay(): readonly Buffer[] {
    if (this.#flags === undefined) return [];
    const redirect: readonly Arg[] = this.#redirect === undefined ? [] : ["REDIRECT", this.#redirect];
    const base = ["CLIENT", "TRACKING", "ON", ...redirect, ...this.#flags];
    const named = this.#prefixes.flatMap((prefix) => ["PREFIX", prefix]);
    const isWhole = named.length === 0 || this.#isOfAllKeys;
    return [...(named.length > 0 ? [[...base, ...named]] : []), ...(isWhole ? [base] : [])].map(encodeCommand);
  }

  #add(prefix: Buffer): void {
    this.#prefixes.push(prefix);
    this.#bytes += PREFIX_BYTES + prefix.length;
  }
}

/** Where the values of the options of a CLIENT TRACKING stand, found in the order in which engines read them. */
interface FoundOptions {
  readonly flags: ReadonlySet<string>;
  readonly redirects: readonly number[];
  readonly prefixes: readonly number[];
}

function optionsIn(args: readonly Buffer[]): FoundOptions {
  const [flags, redirects, prefixes] = [new Set<string>(), new Array<number>(), new Array<number>()];
  for (let at = 3; at < args.length; at++) {
    const word = keyword(args[at]);
    const hasValue = at + 1 < args.length;
    if (word === "REDIRECT" && hasValue) redirects.push(++at);
    else if (word === "PREFIX" && hasValue) prefixes.push(++at);
    else flags.add(word);
  }
  return { flags, redirects, prefixes };
}

/** The number of the client that a CLIENT TRACKING redirects to; undefined when it does not, or names what is no number. */
export function redirectTarget(request: Buffer): number | undefined {
  const args = requestArguments(request);
  const [first] = optionsIn(args).redirects;
  const number = first === undefined ? undefined : integerIn(args[first]?.toString("latin1") ?? "");
  return number === undefined ? undefined : Number(number);
}

/** The same request with what `numberOf` gives in the place of each number of a client; a word that is no number stays for the engine to refuse. */
export function withRedirect(request: Buffer, numberOf: (target: number) => string): Buffer {
  const args: Arg[] = requestArguments(request);
  const { redirects } = optionsIn(requestArguments(request));
  for (const at of redirects) {
    const number = integerIn(String(args[at]));
    if (number !== undefined) args[at] = numberOf(Number(number));
  }
  return redirects.length === 0 ? request : encodeCommand(args);
}

/** What a prefix takes beside its bytes. */
const PREFIX_BYTES = 64;
