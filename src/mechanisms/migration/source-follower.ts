import { Fault, messageOf } from "#kit/base/fault";
import { dumpFooter, keyHead } from "../../core/migration/dumped-value.ts";
import { faults } from "../../core/migration/faults.ts";
import { followedStep, otherDatabaseOf } from "../../core/migration/followed-command.ts";
import type { OpenKeys } from "../../core/migration/open-keys.ts";
import type { Destinations } from "../../core/slots/passage.ts";
import { SnapshotReader, type SnapshotPart } from "../../core/slots/snapshot/snapshot-reader.ts";
import type { EngineAddress } from "../../ports/resp/engine-client.ts";
import { openWholeStream, type StreamCommand } from "../../ports/resp/replication-stream.ts";
import { StreamedFrame } from "../../ports/resp/streamed-frame.ts";
import { Wakeup } from "../site/operations/wakeup.ts";
import type { EndpointWriter } from "./endpoint-writer.ts";

/** How far the data of a source have come. */
export interface FollowerProgress {
  readonly state: "awaited" | "copying" | "following";
  /** Of the copy. */
  readonly keys: number;
  readonly bytes: number;
  /** Commands that were passed on since. */
  readonly commands: number;
  /** The place in the stream of the source up to which the endpoint has taken all. */
  readonly applied: number;
}

export interface SourceFollowerOptions {
  readonly source: EngineAddress;
  readonly writer: EndpointWriter;
  /** Which slots the shards of the endpoint have. */
  readonly shards: Destinations;
  /** Gets each key that the source writes. */
  readonly open: OpenKeys;
  readonly signal: AbortSignal;
}

/** Follows a source as a replica does, and writes what it has and does into an endpoint. */
export class SourceFollower {
  readonly #options: SourceFollowerOptions;
  readonly #moved = new Wakeup();
  #state: FollowerProgress["state"] = "awaited";
  #keys = 0;
  #bytes = 0;
  #commands = 0;
  #applied = 0;
  #version = 0;
  /** The key whose value is being read, with what of it is here. */
  #key: { readonly name: Uint8Array; readonly database: number; readonly expiresAt: number } | undefined;
  #value: Uint8Array[] = [];
  #valueBytes = 0;

  constructor(options: SourceFollowerOptions) {
    this.#options = options;
  }

  get progress(): FollowerProgress {
    return {
      state: this.#state,
      keys: this.#keys,
      bytes: this.#bytes,
      commands: this.#commands,
      applied: this.#applied,
    };
  }

  /** Follows until the signal comes; MIGRATION_SOURCE_GONE when the source ends before. */
  async run(): Promise<void> {
    const { source, writer, open, signal } = this.#options;
    signal.addEventListener("abort", () => {
      this.#moved.wake();
    });
    try {
      const stream = await openWholeStream({ ...source, timeoutMs: TIMEOUT_MS, signal }, (offset) => {
        writer.flush(() => {
          this.#applied = offset;
          this.#moved.wake();
        });
      });
      this.#state = "copying";
      await this.#copy(stream.snapshot);
      this.#applied = stream.offset;
      this.#state = "following";
      this.#moved.wake();
      for await (const commands of stream.commands) {
        for (const command of commands) this.#pass(command);
        await writer.room();
        while (open.isFull && !signal.aborted) await this.#moved.next();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Fault && !error.code.startsWith("RESP_")) throw error;
      throw new Fault(faults.sourceGone, `The source is not followed any more: ${messageOf(error)}`);
    }
  }

  /** Some of the open keys were taken: there is room for more. */
  goOn(): void {
    this.#moved.wake();
  }

  /** Resolves when the copy is whole, and the endpoint has taken all up to that place; false when the signal came before. */
  async reach(offset: number, signal: AbortSignal): Promise<boolean> {
    const isThere = (): boolean => this.#state === "following" && this.#applied >= offset;
    const aborted = (): void => {
      this.#moved.wake();
    };
    signal.addEventListener("abort", aborted);
    while (!isThere() && !signal.aborted) await this.#moved.next();
    signal.removeEventListener("abort", aborted);
    return isThere();
  }

  async #copy(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { writer } = this.#options;
    const snapshot = new SnapshotReader(MOST_NAME);
    for await (const piece of pieces) {
      snapshot.push(piece);
      for (let part = snapshot.next(); part !== undefined; part = snapshot.next()) {
        this.#take(part, snapshot);
        if (part.kind === "value" && part.isLast) await writer.room();
      }
    }
    await writer.settle();
  }

  #take(part: SnapshotPart, snapshot: SnapshotReader): void {
    switch (part.kind) {
      case "head":
        this.#version = part.version;
        return;
      case "key": {
        const { type, expiresAt = 0 } = keyHead(part.bytes);
        this.#key = { name: Uint8Array.from(snapshot.keyName), database: part.database, expiresAt };
        this.#value = [Uint8Array.of(type)];
        this.#valueBytes = 1;
        return;
      }
      case "value":
        this.#takeValue(part.bytes, part.isLast);
        return;
      case "library":
        this.#putDump(0, ["FUNCTION", "RESTORE"], [part.bytes], ["REPLACE"]);
        return;
      case "note":
      case "end":
        return;
    }
  }

  #takeValue(bytes: Uint8Array, isLast: boolean): void {
    this.#value.push(bytes);
    this.#valueBytes += bytes.length;
    if (this.#valueBytes > MOST_VALUE)
      throw new Fault(faults.valueTooLarge, `A value of the source has more than ${MOST_VALUE} bytes.`);
    if (!isLast || this.#key === undefined) return;
    const { name, database, expiresAt } = this.#key;
    this.#putDump(database, ["RESTORE", name, expiresAt], this.#value, ["REPLACE", "ABSTTL"]);
    this.#keys += 1;
    this.#key = undefined;
    this.#value = [];
  }

  #putDump(
    database: number,
    before: readonly (string | number | Uint8Array)[],
    parts: readonly Uint8Array[],
    behind: readonly string[],
  ): void {
    const dump = Buffer.concat([...parts, dumpFooter(parts, this.#version)]);
    this.#bytes += dump.length;
    this.#options.writer.put(database, [...before, dump, ...behind], dump.length);
  }

  #pass({ frame, database }: StreamCommand): void {
    const { shards, open, writer } = this.#options;
    const command = new StreamedFrame(frame);
    const step = followedStep(command, shards);
    switch (step.kind) {
      case "none":
        return;
      case "crossing":
        throw new Fault(faults.crossing, `A client of the source has used ${command.name} with keys of several slots.`);
      case "unknown":
        throw new Fault(faults.unknownCommand, `A client of the source has used ${command.name}.`);
      case "sent": {
        const other = otherDatabaseOf(command);
        for (const at of step.keys) {
          const key = Buffer.from(command.bytesAt(at)).toString("latin1");
          open.add(database, key);
          if (other !== undefined) open.add(other, key);
        }
        this.#commands += 1;
        writer.put(database, command.words, frame.length);
      }
    }
  }
}

const TIMEOUT_MS = 30_000;
/** A name or functions of a source have no more bytes: engines take names of 512 MB. */
const MOST_NAME = 600 * 1024 * 1024;
/** What an endpoint takes in one piece, without what stands behind a value. */
const MOST_VALUE = 512 * 1024 * 1024 - 10;
