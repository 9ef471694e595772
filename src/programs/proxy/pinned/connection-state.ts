import { encodeCommand } from "../../../ports/resp/encode.ts";
import { argumentsOf, keyword } from "../protocol/arguments.ts";
import type { Expectation } from "./pending-request.ts";
import type { Identity } from "../client/identity.ts";
import type { Replay } from "../upstream/replay.ts";
import { Subscriptions } from "../protocol/subscriptions.ts";

/** What the engine keeps for one connection, learnt from its replies, so that another engine can be told the same. */
export class SessionMemory {
  readonly subscriptions = new Subscriptions();
  /** A watched key may have changed while nobody watched: the next EXEC must fail. */
  watchBroken = false;
  /** The connection differs from a new one in what cannot be taken back. */
  taints = false;
  /** Queued since MULTI, also what the engine refused to queue: it makes EXEC fail at the next engine too. */
  #transaction: Buffer[] | undefined;
  #watching = false;
  #user = false;

  /** Between WATCH or MULTI and the EXEC that ends it. */
  get inTransaction(): boolean {
    return this.#transaction !== undefined || this.#watching || this.watchBroken;
  }

  /** True while the session cannot share a connection. */
  get special(): boolean {
    return this.inTransaction || this.#user || this.subscriptions.size > 0;
  }

  /** Takes in an answered request. */
  learn(expected: Expectation, reply: Buffer, identity: Identity): void {
    const refused = reply[0] === MINUS;
    switch (expected.kind) {
      case "multi":
        if (!refused) this.#transaction ??= [];
        break;
      case "queued":
        this.#transaction?.push(expected.request);
        break;
      case "exec":
      case "discard":
        this.#transaction = undefined;
        this.#forgetWatch();
        break;
      case "watch":
        if (!refused) this.#watching = true;
        break;
      case "unwatch":
        if (!refused) this.#forgetWatch();
        break;
      case "subscription": {
        const args = argumentsOf(expected.request);
        if (!refused && expected.replies === 0) this.subscriptions.apply(args, keyword(args[0]));
        break;
      }
      case "select":
      case "hello":
      case "auth":
        if (!refused) this.#learnIdentity(expected.request, identity);
        break;
      default:
    }
  }

  /** The connection is left behind, and with it what it watched. */
  leave(): void {
    this.watchBroken ||= this.#watching;
    this.#watching = false;
  }

  /** Commands that make a new connection, in the client's protocol and database, like the one before. */
  replay(identity: Identity): Replay {
    const { user } = identity;
    const auth = user === undefined ? [] : [encodeCommand(["AUTH", user.name, user.password])];
    const listen = this.subscriptions.replay();
    const transaction = this.#transaction === undefined ? [] : [MULTI, ...this.#transaction];
    const single = [...auth, ...transaction];
    return { commands: [...single, ...listen.commands], replies: single.length + listen.confirmations };
  }

  #learnIdentity(request: Buffer, identity: Identity): void {
    this.taints = true;
    const args = argumentsOf(request);
    const verb = keyword(args[0]);
    if (verb === "SELECT") identity.place = { ...identity.place, database: Number(args[1]?.toString()) };
    else if (verb === "AUTH") this.#become(args[2] === undefined ? undefined : args[1], args[2], identity);
    else {
      if (args[1] !== undefined) identity.place = { ...identity.place, protocol: Number(args[1].toString()) };
      const auth = args.findIndex((argument) => keyword(argument) === "AUTH");
      if (auth > 0) this.#become(args[auth + 1], args[auth + 2], identity);
    }
  }

  #become(name: Buffer | undefined, password: Buffer | undefined, identity: Identity): void {
    identity.authenticated = true;
    this.#user = name !== undefined && password !== undefined && name.toString() !== "default";
    identity.user =
      this.#user && name !== undefined && password !== undefined
        ? { name: Buffer.from(name), password: Buffer.from(password) }
        : undefined;
  }

  #forgetWatch(): void {
    this.#watching = false;
    this.watchBroken = false;
  }
}

const MINUS = 45;
const MULTI = encodeCommand(["MULTI"]);
