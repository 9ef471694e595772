import { condensedEffects } from "./state/condensed-effects.ts";
import { EarlyOperations, isNextInOrder } from "./operations/early-operations.ts";
import { inherit } from "./saved/inherit.ts";
import type { KeyPart, RacedKey } from "./operations/key-part.ts";
import { KeptOperations } from "./kept-operations.ts";
import { withKeptTimes } from "./state/kept-times.ts";
import { expiresAt } from "./state/key-view.ts";
import { MergedState } from "./state/merged-state.ts";
import { withBytes, type CodedOperation } from "./operations/operation-codec.ts";
import type { Effect, Operation } from "./operations/operation.ts";
import { requireFew } from "./operations/few-origins.ts";
import { requireOwn, siteOf } from "./operations/origin.ts";
import { Participants } from "./summary/participants.ts";
import { PendingApplies, type Apply } from "./saved/pending-applies.ts";
import type { LoggedEntry, Remains, SavedSite } from "./saved/saved-site.ts";
import { SiteKeys } from "./site-keys.ts";
import type { SiteOptions } from "./site-options.ts";
import { summaryParts } from "./summary/summary-parts.ts";
import { dividedSummary, type Summary, type SummaryPart } from "./summary/summary.ts";
import type { SiteStatement } from "./summary/statement.ts";
import { BEGINNING, laterOf, nextTimestamp, type Timestamp } from "./operations/timestamp.ts";
import type { TransferBegin } from "./transfer/transfer.ts";
import {
  NOTHING,
  covers,
  coversAll,
  ofOrigins,
  originsOf,
  withDot,
  seqOf,
  union,
  type VersionVector,
} from "./operations/version-vector.ts";

/**
 * One site of an Active-Active database: takes what its engine did and what other sites send, in any order that may come.
 *
 * Its process may end at any moment. The engine then has what it needs to go on: what `save` gave, and a log of what came
 * after, in the order of the engine: the operations of other sites, each logged by the transaction that applies it, and its own
 * ones, each with the place in the stream that follows it. Own ones may be sent when they are logged, and not before.
 */
export class Site {
  /** All sites, with what each has said. */
  readonly participants: Participants;
  /** What other sites may still lack. */
  readonly kept: KeptOperations;
  /** What it can say of single keys. */
  readonly keys: SiteKeys;
  readonly #options: SiteOptions;
  readonly #state: MergedState;
  /** What the engine has applied. */
  #seen: VersionVector;
  /** What was received, whether or not the engine has applied it. */
  #received: VersionVector;
  #clock: Timestamp;
  readonly #early: EarlyOperations;
  readonly #pending: PendingApplies;
  #forgotten: VersionVector;
  /** It has applied something since it last said what it has seen. */
  #hasUnsaid: boolean;
  /** The process before may have decided on a repair that the engine never got. */
  #needsRepair: boolean;

  private constructor(options: SiteOptions, saved: SavedSite | undefined, isRestored: boolean) {
    this.#options = options;
    this.#pending = new PendingApplies(options.life);
    this.#early = new EarlyOperations(options.limits.earlyBytes);
    this.#state = new MergedState(saved?.keys ?? [], saved?.flushes ?? NOTHING);
    this.kept = new KeptOperations(options, saved?.received, saved?.kept);
    this.keys = new SiteKeys(siteOf(options.origin), this.#state, this.#pending, () => this.#received);
    [this.#seen, this.#received] = [saved?.seen ?? NOTHING, saved?.received ?? NOTHING];
    this.participants = new Participants(siteOf(options.origin), options.sites, saved?.seenBy ?? []);
    [this.#clock, this.#forgotten] = [saved?.clock ?? BEGINNING, saved?.forgotten ?? NOTHING];
    this.#hasUnsaid = this.#needsRepair = isRestored;
  }

  /** A site that knows of nothing. */
  static empty(options: SiteOptions): Site {
    return new Site(options, undefined, false);
  }

  /**
   * A site that goes on where its log ends, at the place of its last own operation there, or else of what was saved. Its stream shows once
   * more what the engine had applied after that place; `repairAll` has to follow when the stream has been read up to where it was.
   */
  static restored(options: SiteOptions, { saved, log, due }: Remains): Site {
    const site = new Site(options, saved, true);
    const given = log.filter((logged) => site.#replay(logged));
    inherit(site.#pending, { saved, log: given, due }, site.#seen, site.#state);
    for (const operation of saved?.early ?? [])
      if (!covers(site.#received, operation.dot)) site.#early.restore(operation);
    return site;
  }

  /** All that it knows: to be encoded before it changes. A log that holds nothing else may be emptied by the transaction that stores it. */
  save(): SavedSite {
    return {
      clock: this.#clock,
      seen: this.#seen,
      received: this.#received,
      seenBy: this.participants.seenBy,
      forgotten: this.#forgotten,
      pending: this.#pending.operations,
      summaries: this.#pending.summaries,
      keys: this.#state.all(),
      flushes: this.#state.flushes,
      early: this.#early.all(),
      kept: this.kept.all(),
    };
  }

  /** Makes the operation for the other sites from what the engine did for a client; without effects it only says what this site has seen. */
  captured(effects: readonly Effect[], now: number): CodedOperation {
    const { origin } = this.#options;
    const at = nextTimestamp(this.#clock, now, origin);
    const dot = { origin, seq: this.seq + 1 };
    const all = withKeptTimes(effects, (key) => expiresAt(this.#state.known(key)));
    const operation = withBytes({ dot, at, seen: this.#seen, effects: condensedEffects(all) });
    this.#takeOwn(operation);
    this.#hasUnsaid = false;
    this.#pending.race(all, () => this.#state.all());
    this.keys.over.lifetimes.learn(effects, now);
    return operation;
  }

  /** Takes an own operation that others have, and of which the log has lost that it was captured: what it says has just come by once more. */
  regained(operation: CodedOperation): void {
    this.#takeOwn(operation);
    this.#pending.race(operation.effects, () => this.#state.all());
    this.keys.over.lifetimes.learn(operation.effects, operation.at.wall);
  }

  /**
   * Takes an operation that the site of `from` sends; keeps one that came before an operation that it follows, and ignores one that is known. Undefined
   * when there is no room for one that came early: it has to come again. MERGE_BEGUN_TOO_OFTEN, see `requireFew`.
   */
  receive(operation: CodedOperation, from: number): readonly Apply[] | undefined {
    const { dot } = operation;
    if (covers(this.#received, dot)) return [];
    if (seqOf(this.#received, dot.origin) === 0) this.#requireFew([dot.origin], from);
    if (isNextInOrder(operation, this.#received)) {
      // whatever waits for it may leave no room
      this.#early.remove(dot);
      return this.#takeReady(operation);
    }
    return this.#early.add(operation) ? this.#takeReady() : undefined;
  }

  #requireFew(origins: Iterable<number>, from: number): void {
    requireFew(origins, [...originsOf(this.#received), ...this.#early.origins()], from);
  }

  #takeReady(first = this.#early.takeReady(this.#received)): readonly Apply[] {
    const applies: Apply[] = [];
    for (let operation = first; operation !== undefined; operation = this.#early.takeReady(this.#received)) {
      this.#takeOther(operation);
      this.keys.over.lifetimes.learn(operation.effects, operation.at.wall);
      const { commands, parts } = this.#state.apply(operation);
      const mark = this.#pending.addOperation(operation, parts);
      applies.push({ mark, commands, logged: { kind: "applied", operation } });
    }
    return applies;
  }

  /**
   * Takes a summary that the site of `from` sends, all parts of it: what that one knows and this one lacks. MERGE_OUTNUMBERED when it has own
   * operations which are not here; MERGE_BEGUN_TOO_OFTEN as `receive`.
   */
  receiveSummary(parts: readonly SummaryPart[], from: number): readonly Apply[] {
    const last = parts.at(-1);
    if (last === undefined) return [];
    requireOwn({ origin: this.#options.origin, seq: this.seq }, last.received);
    this.#requireFew(originsOf(last.received), from);
    const isFlushed = this.#state.isFlushedBy(last, this.#received);
    const mark = this.#pending.nextMark("summary");
    const applies = dividedSummary(parts, isFlushed ? Infinity : this.#options.limits.partKeys, mark).map(
      (logged): Apply => {
        const commands = this.#state.join(logged.summary, this.#received);
        return { mark: logged.mark, commands, logged: { kind: "summary", ...logged } };
      },
    );
    this.#takeSummary(last);
    const keys = parts.flatMap((part) => part.keys.map(({ key }) => key));
    this.#pending.addSummary({ mark, received: last.received }, keys, isFlushed);
    return [...applies, ...this.#takeReady()];
  }

  /** The mark of an `Apply` came by in the stream of the engine; the answer corrects what clients wrote meanwhile. */
  applied(mark: string): readonly Apply[] {
    return this.#settle(mark).map(({ key, part }) => this.repair(key, part));
  }

  /** Writes again what was due when the process before ended, or else what other sites have written too: needed once after `restored`. */
  repairAll(): readonly Apply[] {
    const due = this.#pending.due.takeInherited() ?? this.#state.touchedBeside(siteOf(this.#options.origin));
    return [...due.map(({ key, part }) => this.repair(key, part)), ...this.repaired()];
  }

  /** Ends a restart in which each key that the site knows was captured as the engine has it. Takes in what waited for that. */
  repaired(): readonly Apply[] {
    this.#needsRepair = false;
    this.#pending.due.takeInherited();
    return this.#takeReady();
  }

  /** What has to be written again, to be saved with the place of the last own operation; undefined when that is not known. */
  get due(): readonly RacedKey[] | undefined {
    return this.#pending.due.all;
  }

  /** Settles all awaited marks, which will not come: the engine has applied all that was given to it, and has another stream. */
  appliedAll(): void {
    for (const mark of this.#pending.marks) this.#settle(mark);
  }

  /** True when the other sites have to be told what this one has applied. */
  get hasUnsaid(): boolean {
    return this.#hasUnsaid;
  }

  /** The number of its last operation. */
  get seq(): number {
    return seqOf(this.#received, this.#options.origin);
  }

  /** What its engine has applied. Once the engine keeps that as surely as its data, other sites may be told that it was received. */
  get seen(): VersionVector {
    return this.#seen;
  }

  /** What need not be sent again. */
  get received(): VersionVector {
    return this.#received;
  }

  /** True when a site that has only `received`, and lacks what is no longer kept, can go on with a summary. */
  canSummarizeFor(received: VersionVector): boolean {
    return coversAll(received, this.#forgotten);
  }

  /** A summary for a site that has only `received`; its last part is to be sent when own operations up to `seq` then are confirmed. */
  summaryFor(received: VersionVector): Generator<SummaryPart> {
    const at = () => ({ received: this.#received, clock: this.#clock, seenBy: this.participants.seenBy });
    return summaryParts(this.#state, at, received, this.#options.limits.partKeys);
  }

  /** Notes that the site of `origin` keeps `received` as surely as its data; what all sites keep need not be sent again. */
  peerReceived(origin: number, received: VersionVector): void {
    // what is said of others is kept, and is said again when they are known
    this.kept.drop(this.participants.keeps(origin, ofOrigins(received, this.#received)));
  }

  /** Forgets what every site has applied. */
  forgetAgreed(): void {
    if (this.#needsRepair) return;
    const agreed = this.participants.agreed(this.#received);
    this.#forgotten = union(this.#forgotten, agreed);
    this.#state.forget(agreed, (key) => this.#pending.has(key) || this.keys.over.isOver(key));
  }

  /** What the others are told now and then, so that sites can come and go. */
  statement(): SiteStatement {
    return { sites: this.participants.sites, received: this.#received, forgotten: this.#forgotten };
  }

  /** False while clients of a site that has come must not write: another site may have forgotten what this one has not seen. */
  get isAwaited(): boolean {
    return this.participants.isAwaited(this.#options.origin, this.#seen);
  }

  /** Where a site begins that gets all keys of the engine, asked for from now on, and those named; this one must know of it. */
  transferBegin(): TransferBegin {
    const vectors = { received: this.#received, forgotten: this.#forgotten, flushes: this.#state.flushes };
    return { ...vectors, clock: this.#clock, seenBy: this.participants.seenBy, keys: this.keys.known };
  }

  /** Takes in an entry of the log; false when it was saved already. */
  #replay(logged: LoggedEntry): boolean {
    if (logged.kind === "summary") {
      this.#state.join(logged.summary, this.#received);
      if (logged.isLast) this.#takeSummary(logged.summary);
      return true;
    }
    const { kind, operation } = logged;
    if (covers(this.#received, operation.dot)) return false;
    if (kind === "captured") {
      this.#seen = union(this.#seen, operation.seen);
      this.#takeOwn(operation);
    } else {
      this.#takeOther(operation);
      this.#state.take(operation);
    }
    return true;
  }

  #takeSummary({ received, clock, seenBy }: Summary): void {
    this.#received = union(this.#received, received);
    this.#clock = laterOf(this.#clock, clock);
    for (const { origin, seen } of seenBy) this.participants.learn(origin, ofOrigins(seen, received));
    this.kept.skip(received);
    this.#early.drop(this.#received);
  }

  #takeOwn(operation: CodedOperation): void {
    this.#take(operation);
    this.#state.take(operation);
    this.#seen = withDot(this.#seen, operation.dot);
    this.participants.hasSeen(this.#options.origin, this.#seen);
  }

  #takeOther(operation: CodedOperation): void {
    this.#take(operation);
    this.participants.learn(operation.dot.origin, withDot(operation.seen, operation.dot));
  }

  #take(operation: CodedOperation): void {
    this.#received = withDot(this.#received, operation.dot);
    this.#clock = laterOf(this.#clock, operation.at);
    this.kept.add(operation);
  }

  /** Notes what the engine has applied with the mark; answers with what clients have written meanwhile. */
  #settle(mark: string): readonly RacedKey[] {
    const settled = this.#pending.settle(mark);
    if (settled === undefined) return [];
    const { operation, received, raced } = settled;
    if (operation !== undefined) this.#see(operation);
    if (!coversAll(this.#seen, received)) {
      this.#seen = union(this.#seen, received);
      this.participants.hasSeen(this.#options.origin, this.#seen);
      this.#hasUnsaid = true;
    }
    return raced;
  }

  #see({ dot, effects }: Operation): void {
    this.#seen = withDot(this.#seen, dot);
    this.participants.hasSeen(this.#options.origin, this.#seen);
    if (effects.length > 0) this.#hasUnsaid = true;
  }

  /** Writes a part of a key again, as it is known. */
  repair(key: string, wanted: KeyPart): Apply {
    const { commands, part } = this.#state.repair(key, wanted);
    return { mark: this.#pending.addRepair(key, part), commands, logged: undefined };
  }
}
