import { DEFAULT_USER, ENGINE_USER } from "../../../core/api/engine-login.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { commandName, keyword } from "../protocol/arguments.ts";
import { selectsIn } from "./exec-reply.ts";
import type { PendingKind, PendingRequest } from "./pending-request.ts";
import { keptName } from "../client/client-name.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { Replay } from "../upstream/replay.ts";
import { requestParts } from "../protocol/request-parts.ts";
import { Subscriptions } from "../protocol/subscriptions.ts";
import { TrackingOptions } from "./tracking-options.ts";

/** What an engine keeps for one connection, learnt from its replies, so that it can be repeated at another engine. */
export class ConnectionState {
  readonly subscriptions = new Subscriptions();
  /** The CLIENT TRACKING that holds. */
  readonly tracking = new TrackingOptions();
  /** A watched key may have changed without notice: the next EXEC must fail. */
  watchBroken = false;
  /** The engine sends what it executes, and answers nothing. */
  monitoring = false;
  /** The connection differs from a new one, and no command can undo that. */
  irreversible = false;
  /** All requests since MULTI; one that the engine refused to queue makes EXEC fail at the next engine too. */
  #transaction: Buffer[] | undefined;
  #transactionBytes = 0;
  #watching = false;
  #watched = 0;
  /** The CLIENT CACHING that is for the next request. */
  #caching: Buffer | undefined;
  #user = false;

  /** The CLIENT CACHING that is for the next request: one of the proxy itself uses it up. */
  get caching(): Buffer | undefined {
    return this.#caching;
  }

  /** Between WATCH or MULTI and the EXEC that ends it. */
  get inTransaction(): boolean {
    return this.#transaction !== undefined || this.#watching || this.watchBroken;
  }

  /** The memory of what is kept: requests since MULTI, channels, and what is tracked. */
  get keptBytes(): number {
    const options = this.tracking.bytes + (this.#caching?.length ?? 0);
    return this.#transactionBytes + this.subscriptions.bytes + options;
  }

  /** True while the session cannot share a connection. */
  get needsPin(): boolean {
    return this.inTransaction || this.#user || this.tracking.isOn || this.monitoring || this.subscriptions.size > 0;
  }

  /** The engine must get this read over the connection: it tracks the key, or CLIENT CACHING is used up. */
  tracksRead(hasKey: boolean): boolean {
    const { isOn, isBroadcast, isChosen } = this.tracking;
    return isOn && !isBroadcast && (this.#caching !== undefined || (hasKey && !isChosen));
  }

  /** The requests that are queued since MULTI; undefined without MULTI. */
  get queuedRequests(): readonly Buffer[] | undefined {
    return this.#transaction;
  }

  /** How many keys were watched. */
  get watchedKeys(): number {
    return this.#watched;
  }

  /** Applies a request and its reply. */
  apply(pending: PendingRequest, reply: Buffer, identity: ClientIdentity): void {
    if (this.#caching !== undefined && !keepsCaching(pending)) this.#caching = undefined;
    switch (pending.kind) {
      case "queued":
        this.#transaction?.push(pending.request);
        this.#transactionBytes += pending.request.length;
        break;
      case "exec":
      case "discard":
        for (const select of selectsIn(pending, reply)) this.#applyIdentity(select, identity);
        this.endTransaction();
        break;
      default:
        if (reply[0] !== MINUS) this.#applyAccepted(pending, identity);
    }
  }

  /** What has an effect only when the engine has not refused it. */
  #applyAccepted(pending: PendingRequest, identity: ClientIdentity): void {
    switch (pending.kind) {
      case "multi":
        this.#transaction ??= [];
        break;
      case "watch":
        this.#watch(requestArguments(pending.request).length - 1);
        break;
      case "unwatch":
        this.#forgetWatch();
        break;
      case "subscription":
        // one confirmation for each channel: only the last one looks at all of them
        if (pending.replies === 0) this.#subscribed(requestArguments(pending.request));
        break;
      case "tracking":
      case "monitor":
      case "caching":
        this.#applyOption(pending);
        break;
      case "select":
      case "hello":
      case "auth":
        this.#applyIdentity(pending.request, identity);
        break;
      default:
    }
  }

  /** EXEC or DISCARD was answered. */
  endTransaction(): void {
    this.#transaction = undefined;
    this.#transactionBytes = 0;
    this.#forgetWatch();
  }

  /**
   * Ends what the connection watched and tracked; the answer is what its client must be sent for that, nothing when another client gets the
   * invalidations.
   */
  disconnect(protocol: number): readonly Buffer[] {
    this.watchBroken ||= this.#watching;
    this.#watching = false;
    const isOwn = this.tracking.isOn && this.tracking.redirect === undefined && protocol === 3;
    return isOwn ? [INVALIDATE_ALL] : [];
  }

  /**
   * Commands that bring a new connection with the client's settings to this state. None changes what the next one means: an engine
   * queues what comes behind MULTI, and CLIENT CACHING is for one request or transaction. What a primary-to-be takes is `listening`, and `rest`
   * follows it.
   */
  replay(identity: ClientIdentity, part: "all" | "listening" | "rest" = "all"): Replay {
    const { user } = identity;
    const auth = user === undefined ? [] : [encodeCommand(["AUTH", user.name, user.password])];
    const subscribe = this.subscriptions.replay();
    const monitor = this.monitoring ? [MONITOR] : [];
    const transaction = this.#transaction === undefined ? [] : [MULTI, ...this.#transaction];
    const caching = this.#caching === undefined ? [] : [this.#caching];
    const before = [...auth, ...this.tracking.replay()];
    const rest = [...caching, ...transaction];
    if (part === "rest") return { commands: rest, replies: rest.length };
    const behind = [...monitor, ...(part === "all" ? rest : [])];
    return {
      commands: [...before, ...subscribe.commands, ...behind],
      replies: before.length + subscribe.confirmations + behind.length,
    };
  }

  #subscribed(args: readonly Buffer[]): void {
    this.subscriptions.apply(args, keyword(args[0]));
  }

  #applyOption({ kind, request }: PendingRequest): void {
    if (kind === "caching") {
      this.#caching = request;
      return;
    }
    this.irreversible = true;
    if (kind === "monitor") this.monitoring = true;
    else this.tracking.apply(request);
  }

  #applyIdentity(request: Buffer, identity: ClientIdentity): void {
    this.irreversible = true;
    const args = requestArguments(request);
    const verb = keyword(args[0]);
    if (verb === "SELECT") identity.settings = { ...identity.settings, database: Number(args[1]?.toString()) };
    else if (verb === "AUTH") this.#become(args[2] === undefined ? undefined : args[1], args[2], identity);
    else {
      if (args[1] !== undefined) identity.settings = { ...identity.settings, protocol: Number(args[1].toString()) };
      const [name, password, clientName] = HELLO_PARTS.map((part) => requestParts(verb, args)?.get(part));
      const named = clientName === undefined ? undefined : args[clientName];
      if (named !== undefined) identity.name = keptName(named);
      if (name !== undefined && password !== undefined) this.#become(args[name], args[password], identity);
    }
  }

  #become(name: Buffer | undefined, password: Buffer | undefined, identity: ClientIdentity): void {
    identity.authenticated = true;
    this.#user = name !== undefined && password !== undefined && !isClients(name);
    identity.user =
      this.#user && name !== undefined && password !== undefined
        ? { name: Buffer.from(name), password: Buffer.from(password) }
        : undefined;
  }

  #watch(keys: number): void {
    this.#watching = true;
    this.#watched += keys;
  }

  #forgetWatch(): void {
    this.#watched = 0;
    this.#watching = false;
    this.watchBroken = false;
  }
}

/** Behind these CLIENT CACHING still holds: for all of a transaction, and behind another CLIENT. */
function keepsCaching({ kind, request }: PendingRequest): boolean {
  return KEEPS_CACHING.has(kind) || (kind === "command" && commandName(request) === "CLIENT");
}

/** To the client the user of the proxy is the default user. */
function isClients(name: Buffer): boolean {
  return [DEFAULT_USER, ENGINE_USER].includes(name.toString());
}

const MINUS = 45;
const HELLO_PARTS = ["username", "password", "clientname"] as const;
const KEEPS_CACHING: ReadonlySet<PendingKind> = new Set(["internal", "multi", "queued"]);
const MULTI = encodeCommand(["MULTI"]);
const MONITOR = encodeCommand(["MONITOR"]);
/** A message of RESP3: no key that the client has cached is valid. */
const INVALIDATE_ALL = Buffer.from(">2\r\n$10\r\ninvalidate\r\n_\r\n");
