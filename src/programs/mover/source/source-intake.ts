import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Fault, messageOf } from "#kit/base/fault";
import { STAYS, type Destinations } from "../../../core/slots/passage.ts";
import { SnapshotReader, type SnapshotPart } from "../../../core/slots/snapshot/snapshot-reader.ts";
import { Wakeup } from "../../../mechanisms/site/operations/wakeup.ts";
import type { MoverSourceStatus } from "../../../ports/management/mover-control.ts";
import { argumentAt, commandNameIn } from "../../../ports/resp/command-frame.ts";
import { dialSocket } from "../../../ports/resp/dial.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { FrameSplitter } from "../../../ports/resp/frame-splitter.ts";
import { attachWhole } from "../../../ports/resp/replica-handshake.ts";
import type { SnapshotForm } from "../../../ports/resp/snapshot.ts";
import { SocketReader } from "../../../ports/resp/socket-reader.ts";
import { faults } from "../faults.ts";
import type { TargetFeed } from "../target/target-feed.ts";
import type { TargetSnapshot } from "../target/target-snapshot.ts";
import { KeyCopies } from "./key-copies.ts";
import { StreamPassing } from "./stream-passing.ts";

export interface SourceIntakeOptions {
  readonly id: number;
  readonly engine: EngineAddress;
  readonly destinations: Destinations;
  readonly feeds: readonly TargetFeed[];
  /** Places of the feeds that get something of this source. */
  readonly fed: readonly number[];
  /** Places of the feeds that get what the source says of itself, and its functions. */
  readonly forFunctions: readonly number[];
  readonly isOnly: boolean;
  /** Resolves when the snapshot of every source has begun, and the targets take keys. */
  readonly begin: (version: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Follows a source as a replica does: first its snapshot, and then its stream, each for the targets of its slots. */
export class SourceIntake {
  readonly #options: SourceIntakeOptions;
  readonly #passing: StreamPassing;
  readonly #copies: KeyCopies;
  readonly #moved = new Wakeup();
  #state: MoverSourceStatus["state"] = "awaited";
  #history = "";
  #offset = 0;
  #keys = 0;
  /** Where the value goes that is being read. */
  #snapshot: TargetSnapshot | undefined;

  constructor(options: SourceIntakeOptions) {
    const { destinations, feeds: targets, forFunctions, isOnly, engine, signal } = options;
    this.#options = options;
    this.#passing = new StreamPassing({ destinations, targets, forFunctions, isOnly });
    this.#copies = new KeyCopies({ engine, passing: this.#passing, destinations, signal });
  }

  get status(): MoverSourceStatus {
    const { id } = this.#options;
    const place = { id, history: this.#history, offset: this.#offset };
    const misplaced = this.#passing.misplaced.found;
    return {
      ...place,
      state: this.#state,
      keys: this.#keys,
      touched: this.#passing.touched.size,
      ...(misplaced === undefined ? {} : { misplaced }),
    };
  }

  /** Follows until the signal comes; MOVER_SOURCE_GONE when the source ends before. */
  async run(): Promise<void> {
    const { id, engine, signal } = this.#options;
    const socket = await dialSocket({ ...engine, timeoutMs: TIMEOUT_MS, signal });
    const end = (): void => void socket.destroy();
    signal.addEventListener("abort", end, { once: true });
    socket.on("error", () => undefined); // the reader sees that it has ended
    try {
      const reader = new SocketReader(socket);
      const { replicationId, offset, snapshot } = await attachWhole(socket, reader, engine);
      this.#history = replicationId;
      this.#offset = offset;
      await this.#takeSnapshot(reader, snapshot);
      await this.#follow(socket, reader);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Fault && !error.code.startsWith("RESP_")) throw error;
      throw new Fault(faults.sourceGone, `The primary of shard ${id} is not followed any more: ${messageOf(error)}`);
    } finally {
      socket.destroy();
      this.#copies.close();
    }
  }

  /** Resolves when all up to that offset was passed on, and what could not be passed on is copied: the source is quiet. */
  async reach(offset: number, signal: AbortSignal): Promise<void> {
    const aborted = (): void => {
      this.#moved.wake();
    };
    signal.addEventListener("abort", aborted);
    while ((this.#state !== "following" || this.#offset < offset) && !signal.aborted) await this.#moved.next();
    signal.removeEventListener("abort", aborted);
    signal.throwIfAborted();
    await this.#copies.finish();
    this.#flush();
  }

  async #takeSnapshot(reader: SocketReader, form: SnapshotForm): Promise<void> {
    this.#state = "copying";
    const snapshot = new SnapshotReader(MOST_NAME);
    let left = "length" in form ? form.length : Infinity;
    for (;;) {
      if (left === 0) throw new Fault(faults.sourceGone, "A snapshot is longer than was said before it.");
      const chunk = reader.take(Math.min(left, (await reader.some()).length));
      left -= chunk.length;
      snapshot.push(chunk);
      for (let part = snapshot.next(); part !== undefined; part = snapshot.next()) {
        if (part.kind === "end") return this.#endSnapshot(reader, snapshot.rest, form);
        if (part.kind === "key" && this.#isMisplaced(part.slot))
          this.#passing.misplaced.add(part.database, snapshot.keyName);
        const waiting = this.#takePart(part);
        if (waiting !== undefined) await waiting;
      }
      await this.#makeRoom("snapshot");
    }
  }

  async #endSnapshot(reader: SocketReader, rest: Uint8Array, form: SnapshotForm): Promise<void> {
    reader.putBack(rest);
    if ("mark" in form) {
      while ((await reader.some()).length < form.mark.length) await reader.grow();
      if (!reader.take(form.mark.length).equals(form.mark))
        throw new Fault(faults.sourceGone, "Something else than its mark is behind a snapshot.");
    }
    for (const at of this.#options.fed) this.#options.feeds[at]?.snapshot.endSource();
    this.#flush();
  }

  /** A promise when it has to wait. */
  #takePart(part: Exclude<SnapshotPart, { kind: "end" }>): Promise<void> | undefined {
    switch (part.kind) {
      case "head":
        return this.#options.begin(part.version);
      case "key":
        return this.#takeKey(part.slot, part.database, part.bytes);
      case "value":
        this.#snapshot?.put(part.bytes);
        if (part.isLast) this.#snapshot?.endTurn();
        return undefined;
      case "note":
        return OF_ITSELF.test(part.name) ? undefined : this.#putAlone(part.bytes);
      case "library":
        return this.#putAlone(part.bytes);
    }
  }

  #takeKey(slot: number, database: number, bytes: Uint8Array): Promise<void> | undefined {
    const { destinations, feeds } = this.#options;
    const snapshot = feeds[destinations[slot] ?? STAYS]?.snapshot;
    this.#snapshot = snapshot;
    if (snapshot === undefined) return undefined;
    this.#keys += 1;
    const put = (): void => {
      snapshot.putKey(database, bytes);
    };
    if (!snapshot.hasTurn(this)) return snapshot.takeTurn(this).then(put);
    put();
    return undefined;
  }

  /** All slots of a source go somewhere. */
  #isMisplaced(slot: number): boolean {
    return (this.#options.destinations[slot] ?? STAYS) === STAYS;
  }

  async #putAlone(bytes: Uint8Array): Promise<void> {
    const { feeds, forFunctions } = this.#options;
    for (const at of forFunctions) {
      const snapshot = feeds[at]?.snapshot;
      await snapshot?.takeTurn(this);
      snapshot?.put(bytes);
      snapshot?.endTurn();
    }
  }

  async #follow(socket: Socket, reader: SocketReader): Promise<void> {
    const splitter = new FrameSplitter();
    // it holds no data: nothing may count it among the replicas that have what was written
    const acknowledge = (): void => void socket.write(encodeCommand(["REPLCONF", "ACK", 0]));
    acknowledge();
    const timer = setInterval(acknowledge, ACKNOWLEDGE_MS);
    this.#state = "following";
    try {
      for (;;) {
        for (const frame of splitter.push(reader.take((await reader.some()).length))) await this.#pass(frame);
        await this.#makeRoom("stream");
        this.#moved.wake();
        await this.#copies.begin();
        // what arrives meanwhile would be read at once, and nothing else have its turn before all is
        await nextTurn();
      }
    } finally {
      clearInterval(timer);
    }
  }

  async #pass(frame: Buffer): Promise<void> {
    const name = commandNameIn(frame);
    this.#passing.pass(frame);
    if (name === "PUBLISH" && this.#copies.isMark(argumentAt(frame, 1) ?? "", argumentAt(frame, 2) ?? ""))
      await this.#copies.takePending();
    this.#offset += frame.length;
  }

  async #makeRoom(of: "snapshot" | "stream"): Promise<void> {
    this.#flush();
    for (const at of this.#options.fed) await this.#options.feeds[at]?.room(of);
  }

  #flush(): void {
    for (const at of this.#options.fed) this.#options.feeds[at]?.flush();
  }
}

const TIMEOUT_MS = 10_000;
/** A primary takes a replica that says nothing for gone after a minute, and sends nothing before the first word. */
const ACKNOWLEDGE_MS = 1_000;
/** A name, a note or functions of a source have no more bytes: engines take names of 512 MB. */
const MOST_NAME = 1_073_741_824;
/** Notes about the stream or the file of the source: those of the target are others. */
const OF_ITSELF = /^(?:repl|aof)-/;
