import type { Socket } from "node:net";
import { Fault } from "#kit/base/fault";
import type { MoverTargetStatus } from "../../../ports/management/mover-control.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { faults } from "../faults.ts";
import { TargetOutput } from "./target-output.ts";
import { TargetSnapshot } from "./target-snapshot.ts";

/** What an engine that shall be a primary gets, as a replica of the mover: one snapshot of its slots, and then the stream of its slots. */
export class TargetFeed {
  readonly snapshot: TargetSnapshot;
  /** Resolves with the reason when the engine is gone. */
  readonly gone: Promise<Fault>;
  readonly #id: number;
  readonly #output = new TargetOutput();
  readonly #endGone: (why: Fault) => void;
  /** The engine has taken the snapshot. */
  #isFollowing = false;
  #isOver = false;
  #database = -1;
  /** What belongs behind the snapshot, while the engine cannot take it. */
  #kept: { readonly database: number; readonly bytes: Uint8Array }[] = [];
  #keptBytes = 0;
  #sent = 0;
  #applied = -1;

  /** For the shard with that id, of so many sources. */
  constructor(id: number, sources: number) {
    const gone = Promise.withResolvers<Fault>();
    this.#id = id;
    this.gone = gone.promise;
    this.#endGone = gone.resolve;
    this.snapshot = new TargetSnapshot(this.#output, sources);
  }

  /** The engine is there, and asks for the data. False when another one was there before. */
  attach(socket: Socket): boolean {
    if (this.#output.socket !== undefined) return false;
    this.#output.attach(socket);
    socket.once("close", () => {
      this.#isOver = true;
      this.#endGone(
        new Fault(faults.targetGone, `The engine of shard ${this.#id} has closed its connection to the mover.`),
      );
      this.snapshot.close();
    });
    this.#output.changed.wake();
    return true;
  }

  /** Resolves when the engine is there. */
  async attached(): Promise<void> {
    while (this.#output.socket === undefined) await this.#output.changed.next();
  }

  /** A command of the stream, or several that belong together. Kept until the engine can take it. */
  stream(database: number, bytes: Uint8Array): void {
    if (this.#isFollowing) {
      this.#passOn(database, bytes);
      return;
    }
    this.#kept.push({ database, bytes });
    this.#keptBytes += bytes.length;
  }

  /** Sends what was given. */
  flush(): void {
    this.#output.flush();
  }

  /**
   * Waits until the engine has taken so much that there is room for more. What is kept of streams holds no snapshot up: it is kept until each of them is
   * over.
   */
  async room(of: "snapshot" | "stream"): Promise<void> {
    const isFull = (): boolean =>
      this.#output.unsent > MOST_UNSENT_BYTES || (of === "stream" && this.#keptBytes > MOST_KEPT_BYTES);
    while (!this.#isOver && isFull()) await this.#output.changed.next();
  }

  /** What the engine has said to have applied. */
  acknowledge(applied: number): void {
    this.#applied = Math.max(this.#applied, applied);
    if (!this.#isFollowing && this.snapshot.state === "over") this.#follow();
    this.#output.changed.wake();
  }

  /** Resolves when the engine has applied all that was passed on before this call; with the fault when it is gone. */
  async applied(signal: AbortSignal): Promise<void> {
    const aborted = (): void => {
      this.#output.changed.wake();
    };
    const waits = (): boolean => !this.#isOver && !signal.aborted;
    signal.addEventListener("abort", aborted);
    try {
      while (!this.#isFollowing && waits()) await this.#output.changed.next();
      const wanted = this.#sent;
      // asked once: what is asked is part of the stream, and comes behind what is wanted
      if (this.#applied < wanted) this.#sendOwn(["REPLCONF", "GETACK", "*"]);
      while (this.#applied < wanted && waits()) await this.#output.changed.next();
    } finally {
      signal.removeEventListener("abort", aborted);
    }
    if (this.#isOver) throw await this.gone;
    signal.throwIfAborted();
  }

  /** To be called each second: an engine that gets nothing for a minute takes its primary for gone. */
  beat(): void {
    const { socket } = this.#output;
    if (socket === undefined || this.#isOver || socket.writableLength > 0) return;
    if (this.#isFollowing) this.#sendOwn(["PING"]);
    else if (this.snapshot.state === "awaited") socket.write("\n");
    else if (this.snapshot.state === "begun") this.snapshot.beat();
  }

  get status(): MoverTargetStatus {
    const copiedBytes = this.snapshot.bytes;
    return { id: this.#id, state: this.#state(), copiedBytes, sent: this.#sent, applied: Math.max(0, this.#applied) };
  }

  #state(): MoverTargetStatus["state"] {
    if (this.#isOver) return "over";
    if (this.#isFollowing) return "following";
    if (this.snapshot.state === "awaited") return "awaited";
    return this.snapshot.state === "begun" ? "copying" : "loading";
  }

  #follow(): void {
    this.#isFollowing = true;
    for (const { database, bytes } of this.#kept) this.#passOn(database, bytes);
    this.#kept = [];
    this.#keptBytes = 0;
    this.flush();
  }

  #passOn(database: number, bytes: Uint8Array): void {
    if (database !== this.#database) this.#count(encodeCommand(["SELECT", database]));
    this.#database = database;
    this.#count(bytes);
  }

  /** What no source has written. */
  #sendOwn(command: readonly string[]): void {
    this.#count(encodeCommand(command));
    this.flush();
  }

  #count(bytes: Uint8Array): void {
    this.#sent += bytes.length;
    this.#output.put(bytes);
  }
}

const MOST_UNSENT_BYTES = 4 * 1024 * 1024;
/** Of the stream, for a target. When it is passed the source keeps the rest, and ends the connection when that is more than a replica may take. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;
