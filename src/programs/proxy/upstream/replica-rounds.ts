import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { EngineLogin } from "../../../core/api/engine-login.ts";
import type { SocketTarget } from "../../../ports/resp/dial.ts";
import { connectEngine, engineCodeOf } from "../../../ports/resp/engine-client.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { Requirement } from "./requirement.ts";
import { judgeRound } from "./round-verdict.ts";

/** Replies of one connection that wait until replicas have what they acknowledge. */
export interface WaitingReplies {
  /** A round begins: it counts for what has arrived so far. */
  begin(): void;
  /** The round has ended: what it counts for is on every replica. */
  pass(): void;
  /** The engine is no primary any more: nothing that it acknowledged is sure to last. */
  demoted(): void;
  /** The connection for rounds has ended: what answers the next one may be an engine that was started anew. */
  interrupted(): void;
}

export interface RoundsContext {
  readonly address: SocketTarget;
  /** Tried in this order, never empty. */
  readonly logins: () => readonly EngineLogin[];
  readonly clock: Clock;
}

/**
 * Finds out that replicas have all that an engine has executed, for all connections to it together: one round at a time, and
 * the next one begins when replies wait. A round is one question to the engine on a connection of its own: a write that
 * changes nothing, the offset after it, and what each replica has confirmed.
 */
export class ReplicaRounds {
  readonly #context: RoundsContext;
  #requirement: Requirement = "hold";
  #waiting = new Set<WaitingReplies>();
  #inRound = new Set<WaitingReplies>();
  #running = false;
  #closed = false;
  #client: Promise<EngineClient> | undefined;
  #isConnected = false;

  /** Replies wait until `require` says for what. */
  constructor(context: RoundsContext) {
    this.#context = context;
  }

  /** Replies wait for nothing. */
  get open(): boolean {
    return this.#requirement === "none";
  }

  /** The engine can be asked without a new connection. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Resolves when the engine can be asked, or cannot be reached now. */
  async connect(): Promise<void> {
    if (this.#closed) return;
    await this.#connected().then(
      () => undefined,
      () => void this.#hangUp(), // the next round connects anew
    );
  }

  /** Replies wait at the moment. */
  get busy(): boolean {
    return this.#waiting.size > 0 || this.#inRound.size > 0;
  }

  /** Sets what replies wait for from now on, those that wait already too. */
  require(requirement: Requirement): void {
    this.#requirement = requirement;
    if (requirement === "none") this.#passAll();
    else this.#next();
  }

  /** Replies have arrived that wait for a round. */
  join(replies: WaitingReplies): void {
    this.#waiting.add(replies);
    this.#next();
  }

  leave(replies: WaitingReplies): void {
    this.#waiting.delete(replies);
    this.#inRound.delete(replies);
  }

  /** Ends the connection for rounds; replies that wait are not passed on any more. */
  close(): void {
    this.#closed = true;
    this.#hangUp();
  }

  #next(): void {
    if (this.#running || this.#closed || this.#waiting.size === 0 || typeof this.#requirement === "string") return;
    this.#running = true;
    // at the end of the turn, so that replies on other connections in this turn are in the same round
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    this.#inRound = this.#waiting;
    this.#waiting = new Set();
    for (const replies of this.#inRound) replies.begin();
    while (this.#inRound.size > 0 && !this.#closed) {
      const answers = await this.#ask();
      if (this.#closed) return;
      // the requirement may have changed meanwhile: the newest counts
      if (typeof this.#requirement === "string") break;
      const verdict = judgeRound(answers, this.#requirement);
      if (verdict === "covered") this.#end((replies) => replies.pass());
      else if (verdict === "not-primary") this.#end((replies) => replies.demoted());
      else await this.#context.clock.sleep(RETRY_MS);
    }
    this.#waiting = this.#inRound.union(this.#waiting);
    this.#inRound = new Set();
    this.#running = false;
    this.#next();
  }

  #end(how: (replies: WaitingReplies) => void): void {
    const ended = this.#inRound;
    this.#inRound = new Set();
    for (const replies of ended) how(replies);
  }

  #passAll(): void {
    const all = this.#inRound.union(this.#waiting);
    this.#inRound = new Set();
    this.#waiting = new Set();
    for (const replies of all) {
      replies.begin();
      replies.pass();
    }
  }

  /** What the engine says of itself before and after the wait; undefined where it gives no such answer. */
  async #ask(): Promise<readonly (Reply | undefined)[]> {
    const count = typeof this.#requirement === "string" ? 0 : this.#requirement.length;
    try {
      const client = await this.#connected();
      const calls = [["SWAPDB", "0", "0"], ["ROLE"], ["WAIT", String(count), String(WAIT_MS)], ["ROLE"]];
      const [, before, , after] = await Promise.all(calls.map((call) => answerTo(client.call(...call))));
      return [before, after];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#hangUp();
      return [];
    }
  }

  #connected(): Promise<EngineClient> {
    const { address, logins } = this.#context;
    if (this.#client === undefined) {
      this.#client = connectEngine({ ...address, logins: logins(), timeoutMs: TIMEOUT_MS });
      this.#watch(this.#client);
    }
    return this.#client;
  }

  /** Notes when the engine can be asked over this connection, and when no more. */
  #watch(connecting: Promise<EngineClient>): void {
    void connecting.then(
      (client) => {
        this.#isConnected = this.#client === connecting;
        void client.closed.then(() => {
          if (this.#client === connecting) this.#hangUp();
        });
      },
      () => undefined, // the round that has asked for it sees that
    );
  }

  #hangUp(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#isConnected = false;
    for (const replies of this.#inRound.union(this.#waiting)) replies.interrupted();
    void client?.then(
      (connected) => {
        connected.close();
      },
      () => undefined, // it was never connected
    );
  }
}

/** Undefined for an error reply: the engine runs a script, or takes no writes. */
async function answerTo(call: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await call;
  } catch (error) {
    if (engineCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** How long an engine waits for replicas before the requirement is looked at again, in milliseconds. */
const WAIT_MS = 100;
const RETRY_MS = 5;
const TIMEOUT_MS = 5_000;
