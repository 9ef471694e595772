import { capturedWithin, expiredWithin } from "../../../core/merge/operations/captured-slice.ts";
import type { Captured } from "../../../core/merge/operations/captured.ts";
import type { Effect } from "../../../core/merge/operations/operation.ts";
import { KnownScores } from "../../../core/merge/operations/known-scores.ts";
import type { RepairedKeys } from "../../../core/merge/repaired-keys.ts";
import type { ExpiringKeys } from "../../../core/merge/state/lost-expiries.ts";
import type { RacedKey } from "../../../core/merge/operations/key-part.ts";
import { WrittenKeys } from "../../../core/merge/state/written-keys.ts";
import type { Remains } from "../../../core/merge/saved/saved-site.ts";
import { argumentAt, argumentsOf, type CommandFrame } from "../../../ports/resp/command-frame.ts";
import type { ReplicationStream, StreamCommand } from "../../../ports/resp/replication-stream.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { PLACE_ASKED } from "../saved/marks.ts";
import type { WantedRead, PendingRead, Reached, ReadMembers, TakeEffects, TakeRead } from "./capture-parts.ts";
import { PendingReads } from "./pending-reads.ts";
import {
  afterRepair,
  atOnce,
  changedBefore,
  effectsFor,
  endWaits,
  membersOf,
  stillHidden,
  whenBack,
} from "./read-turns.ts";
import { expiringIn, ExpiryLooks } from "./expiry-looks.ts";
import { KeyLooks, type LookContext, type TakeKey } from "./key-looks.ts";
import { effectsOfReads, effectsOfScores } from "./key-reads.ts";
import { MemberLooks } from "./member-looks.ts";
import { fileBytes } from "./file-bytes.ts";
import { numberIn, type Place } from "../saved/place.ts";
import type { SiteSlice } from "../saved/slice.ts";
import { StreamUnits } from "./stream-units.ts";

/** Keys are read by its connection. */
export interface CaptureOptions extends LookContext {
  /** Where the stream begins, and what of it was captured before. */
  readonly from: Place;
  /** The keys that are captured. */
  readonly slice: Pick<SiteSlice, "holds" | "kept">;
  /** What is known of keys of which the time of expiry may be gone. */
  readonly expiring: ExpiringKeys;
  /** What is known of keys that the site is writing again. */
  readonly repaired: RepairedKeys;
  /** Tells the marks of this reader from those of an earlier one that are still in the stream. */
  readonly name: string;
  readonly onEffects: TakeEffects;
  readonly onRead: TakeRead;
  /** The first place that was saved has come by: those after it can be found in an append-only file. */
  readonly onAnchored: () => void;
  /** Called when a mark came by: its changes are made when the call returns, and the promise waits only for room. */
  readonly onMark: (mark: string) => Promise<void>;
}

/** So often: what is written again all the time is taken as it is. */
const REPAIR_TRIES = 20;

/** Turns the stream of an engine into what clients did. */
export class Capture {
  /** What the stream shows, whoever wrote it. */
  readonly written = new WrittenKeys();
  readonly #options: CaptureOptions;
  readonly #units: StreamUnits;
  readonly #reads: PendingReads;
  readonly #looks: KeyLooks;
  readonly #scores = new KnownScores();
  readonly #members: MemberLooks;
  readonly #expiries: ExpiryLooks<Reached>;
  #reached: Reached;
  #captured: number;
  #written: number;
  #anchor: Place["anchor"];

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#units = new StreamUnits(options.slice.kept);
    this.#reads = new PendingReads(options, options.name);
    this.#looks = new KeyLooks(options, options.name);
    this.#members = new MemberLooks({ ...options, holds: options.slice.holds }, this.#looks, this.#scores);
    this.#expiries = new ExpiryLooks(options, options.name, expiringIn(options));
    this.#reached = options.from;
    this.#captured = options.from.captured;
    this.#written = options.from.written;
    this.#anchor = options.from.anchor;
  }

  /** How far the stream is captured. */
  get reached(): Reached & Pick<Place, "captured"> {
    const earlier = (a: Reached, b: Reached): Reached => (b.written < a.written ? b : a);
    const first = earlier(this.#reached, this.#expiries.begin ?? this.#reached);
    const { replicationId, offset, database, written, anchor } = this.#reads.begins.reduce(earlier, first);
    return { replicationId, offset, database, written, anchor, captured: this.#captured };
  }

  /**
   * `reached`, with what a link that goes on there has to write again: `due` of the site, and lost times of expiry that such a link does not see
   * any more.
   */
  reachedWith(due: readonly RacedKey[] | undefined): Capture["reached"] & Pick<Remains, "due"> {
    return { ...this.reached, due: due && [...due, ...this.#expiries.due] };
  }

  /** The place behind the last command that was looked at, counted as `Place.written` is. */
  get passed(): number {
    return this.#written;
  }

  /** Takes the stream until its end. */
  async follow({ commands }: ReplicationStream): Promise<void> {
    for await (const together of commands)
      for (const command of together) {
        const end = this.#pass(command);
        const unit = this.#units.add(command);
        if (this.#units.isOpen) continue;
        if (unit !== undefined) this.#expiries.pass(unit, this.#reached);
        if (unit === undefined) this.#advance(end);
        else if (unit.kind === "mark") {
          this.#passWrites(unit.writes);
          this.#takeExpired(unit.writes, end);
          await this.#takeMark(unit.mark, end);
        } else this.#takeWrites(unit.commands, end);
      }
  }

  /** The place behind the command. */
  #pass(command: StreamCommand): Reached {
    const { database, replicationId, offset } = command;
    this.#written += fileBytes(command);
    const number = numberIn(command, this.#options.slice.kept);
    if (number !== undefined) this.#anchor = { number, written: this.#written };
    return { replicationId, offset, database, written: this.#written, anchor: this.#anchor };
  }

  /** Reads a key, and captures what it holds; resolves when that is done. Several changes within one turn are read once. */
  read(key: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reads.read(key, atOnce(this.#reached, resolve));
    return promise;
  }

  /** Reads keys, and captures what they hold; resolves when that is done, or the signal comes. */
  async readAll(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#reads.over(keys.map((key) => this.read(key)));
  }

  /** Resolves when all is captured that clients have changed since that place, counted as `Place.written` is, or when the signal comes. */
  readSince(written: number): Promise<void> {
    return this.#reads.over(this.#reads.since(written));
  }

  /** Something of the key is captured when it has been read. */
  isReading(key: string): boolean {
    return this.#reads.has(key);
  }

  /** All that the key holds is captured when it has been read. */
  isReadingAll(key: string): boolean {
    return this.#reads.hasAll(key);
  }

  /** Reads keys without capturing them, and calls `take` at the place of the stream where they were read; rejects when that ends before. */
  look(keys: readonly string[], take: TakeKey): Promise<void> {
    return this.#looks.look(keys, take);
  }

  /** Notes first what has to be read, and gives last what is captured, so that a place that is noted then covers both. */
  #takeWrites(commands: readonly (readonly string[])[], end: Reached): void {
    const { holds } = this.#options.slice;
    const captured = commands.flatMap((command) => capturedWithin(command, this.#scores, holds) ?? []);
    const effects = captured.flatMap((each) => each.effects);
    this.#noteWritten(captured.flatMap(keysOf));
    const isNew = end.written > this.#captured;
    for (const { read, scores } of captured) {
      for (const key of read) this.#reads.read(key, changedBefore(this.#reached, end.written));
      for (const { key, members } of scores) this.#reads.read(key, changedBefore(this.#reached, end.written, members));
    }
    for (const command of commands) this.#members.pass(command);
    this.#advance(end);
    if (effects.length === 0 || !isNew) return;
    const read = captured.flatMap((each) => [...each.read, ...each.scores.map(({ key }) => key)]);
    this.#options.onEffects(effects, read);
  }

  #noteWritten(keys: readonly string[]): void {
    const now = this.#options.clock.uptimeMs();
    for (const key of keys) this.written.add(key, now);
  }

  /** Follows the sorted sets through what the site itself wrote, and what the engine did by itself with that. */
  #passWrites(writes: readonly CommandFrame[]): void {
    const { holds } = this.#options.slice;
    this.#noteWritten(writes.flatMap(({ frame }) => argumentAt(frame, 1) ?? []).filter(holds));
    for (const { name, frame } of writes)
      if (this.#scores.isConcernedBy(name, () => argumentAt(frame, 1) ?? "")) this.#scores.pass(argumentsOf(frame));
  }

  /**
   * Takes expiries that the engine did unasked before it did what the site asked for. The place stays before the unit, so that its mark comes by
   * once more for a link that goes on there.
   */
  #takeExpired(writes: readonly CommandFrame[], end: Reached): void {
    const { holds } = this.#options.slice;
    const effects = writes.flatMap(({ name, frame }) =>
      name === "UNLINK" ? expiredWithin(argumentsOf(frame), holds) : [],
    );
    if (effects.length === 0 || end.written <= this.#captured) return;
    this.#captured = end.written;
    this.#options.onEffects(effects, []);
  }

  async #takeMark(mark: string, end: Reached): Promise<void> {
    const read = this.#reads.get(mark);
    if (read !== undefined) return this.#takeRead(mark, read, end);
    const lost = await this.#expiries.take(mark);
    if (lost === undefined && mark !== PLACE_ASKED && !(await this.#looks.pass(mark))) {
      const marked = this.#options.onMark(mark);
      this.askBeforeRepairs();
      this.#advance(end);
      return marked;
    }
    this.#advance(end);
    // where the place is asked for, it goes with what has been seen so far
    if (mark === PLACE_ASKED || (lost ?? []).length > 0) this.#options.onEffects(lost ?? [], []);
  }

  /**
   * To be called between the decision to write a key again and the write, on the same connection: that removes members which clients have added
   * under a condition, unless they are read before.
   */
  askBeforeRepairs(): void {
    this.#reads.askWhere(({ wanted }, key) => {
      const isNew = wanted.some(({ tries }) => tries === 0);
      return membersOf(wanted) !== undefined && isNew && this.#options.repaired.isBeingRepaired(key);
    });
  }

  async #takeRead(mark: string, read: PendingRead, end: Reached): Promise<void> {
    const replies = await read.replies;
    this.#reads.end(mark);
    const { key, members, wanted, latest } = read;
    const isHidden = this.#options.repaired.isBeingRepaired(key);
    const hidden = isHidden ? wanted.filter(({ tries }) => tries < REPAIR_TRIES) : [];
    if (members !== undefined) return this.#takeScores({ ...read, members }, hidden, replies, end);
    const taken = wanted.filter((each) => !hidden.includes(each));
    if (hidden.length > 0) this.#reads.read(key, afterRepair({ wanted: hidden, latest }));
    this.#advance(end);
    if (taken.length === 0) return;
    const effects = effectsOfReads(key, replies);
    this.#reads.rest(read, effects);
    this.#scores.learn(key, effects);
    this.#takeFound({ ...read, wanted: taken }, taken, effects);
  }

  /** Of what is hidden, it captures at once what such a read shows, and reads the rest again. */
  #takeScores(read: ReadMembers, hidden: readonly WantedRead[], replies: readonly Reply[], end: Reached): void {
    const { key, wanted, latest } = read;
    const found = effectsOfScores(read, replies);
    const asked = [...(membersOf(hidden) ?? [])];
    const parts = this.#options.repaired.partHidden(asked, key, effectsFor(hidden, found));
    const still = stillHidden(hidden, parts.hidden);
    if (still.length > 0) this.#reads.read(key, afterRepair({ wanted: still, latest }));
    this.#advance(end);
    const asItIs = wanted.filter((each) => !hidden.includes(each));
    const done = wanted.filter(({ tries }) => !still.some((each) => each.tries === tries));
    if (asItIs.length > 0) return this.#takeFound(read, done, [...effectsFor(asItIs, found), ...parts.shown]);
    if (parts.shown.length > 0) this.#options.onEffects(parts.shown, []);
    endWaits(done);
  }

  #takeFound(read: PendingRead, done: readonly WantedRead[], effects: readonly Effect[]): void {
    const isTaken = this.#options.onRead(read.key, effects, read.latest);
    if (isTaken) endWaits(done);
    else this.#reads.read(read.key, whenBack(read));
  }

  #advance(end: Reached): void {
    const isFirst = this.#reached.anchor === undefined && end.anchor !== undefined;
    this.#reached = end;
    this.#captured = Math.max(this.#captured, end.written);
    if (isFirst) this.#options.onAnchored();
  }
}

/** The keys that a command has changed. */
function keysOf({ effects, read, scores }: Captured): readonly string[] {
  return [
    ...effects.flatMap((effect) => ("key" in effect ? effect.key : [])),
    ...read,
    ...scores.map(({ key }) => key),
  ];
}
