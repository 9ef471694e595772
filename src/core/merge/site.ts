import { EarlyOperations } from "./early-operations.ts";
import type { EngineCommand } from "./engine-writes.ts";
import { KeptOperations, type KeptOperation } from "./kept-operations.ts";
import { MergedState } from "./merged-state.ts";
import type { Effect, Operation } from "./operation.ts";
import { siteOf } from "./origin.ts";
import { Participants, type Statement } from "./participants.ts";
import { PendingApplies } from "./pending-applies.ts";
import type { LoggedOperation, SavedSite } from "./saved-site.ts";
import { BEGINNING, laterOf, nextTimestamp, type Timestamp } from "./timestamp.ts";
import type { TransferBegin, TransferredKey } from "./transfer.ts";
import { covers, including, union, type VersionVector } from "./version-vector.ts";

export interface SiteOptions {
  /** Who numbers its operations: see `originOf`. */
  readonly origin: number;
  /** All sites, this one included. */
  readonly sites: readonly number[];
  /** A text that no earlier process of this site had, so that marks that it left in the stream are not taken for new ones. */
  readonly life: string;
}

/** A transaction for the engine of a site. Its mark comes back in the stream of the engine. */
export interface Apply {
  readonly mark: string;
  readonly commands: readonly EngineCommand[];
  /** What another site did, which has to be logged in the same transaction; undefined of a repair. */
  readonly operation: Operation | undefined;
}

/**
 * One site of an Active-Active database: takes what its engine did and what other sites send, in any order that may come.
 *
 * Its process may end at any moment. The engine then has what it needs to go on: what `save` gave, and a log of what came
 * after, in the order of the engine: the operations of other sites, each logged by the transaction that applies it, and its own
 * ones, each with the place in the stream that follows it. Own ones may be sent when they are logged, and not before.
 */
export class Site {
  readonly #options: SiteOptions;
  readonly #state: MergedState;
  readonly #kept: KeptOperations;
  /** What the engine has applied. */
  #seen: VersionVector;
  /** What was received, whether or not the engine has applied it. */
  #received: VersionVector;
  #clock: Timestamp;
  readonly #early = new EarlyOperations();
  readonly #pending = new PendingApplies();
  readonly #participants: Participants;
  #forgotten: VersionVector;
  #confirmed = 0;
  #repairs = 0;
  /** It has applied something since it last said what it has seen. */
  #hasUnsaid: boolean;
  /** The process before may have decided on a repair that the engine never got. */
  #needsRepair: boolean;

  private constructor(options: SiteOptions, saved: SavedSite | undefined, isRestored: boolean) {
    this.#options = options;
    this.#state = new MergedState(saved?.keys ?? [], saved?.flushes ?? {});
    this.#kept = new KeptOperations(saved?.received, saved?.kept);
    this.#seen = saved?.seen ?? {};
    this.#received = saved?.received ?? {};
    this.#clock = saved?.clock ?? BEGINNING;
    this.#participants = new Participants(siteOf(options.origin), options.sites, saved?.seenBy ?? []);
    this.#forgotten = saved?.forgotten ?? {};
    this.#hasUnsaid = isRestored;
    this.#needsRepair = isRestored;
  }

  /** A site that knows of nothing. */
  static empty(options: SiteOptions): Site {
    return new Site(options, undefined, false);
  }

  /**
   * A site that goes on where its log ends, at the place of its last own operation there, or else of what was saved. What the
   * engine had applied after that place is shown once more by its stream; `repairAll` has to follow when the stream has been
   * read up to where it was.
   */
  static restored(options: SiteOptions, saved: SavedSite | undefined, log: readonly LoggedOperation[]): Site {
    const site = new Site(options, saved, true);
    const since = log.filter(({ operation }) => !covers(site.#received, operation.dot));
    for (const logged of since) site.#replay(logged);
    const given = since.flatMap(({ operation, isOwn }) => (isOwn ? [] : operation));
    for (const operation of [...(saved?.pending ?? []), ...given]) {
      if (covers(site.#seen, operation.dot)) site.#participants.learn(operation);
      else site.#pending.addOperation(operation);
    }
    for (const operation of saved?.early ?? []) if (!covers(site.#received, operation.dot)) site.#early.add(operation);
    return site;
  }

  /** All that it knows: to be encoded before it changes. A log that holds nothing else may be emptied by the transaction that stores it. */
  save(): SavedSite {
    return {
      ...{ clock: this.#clock, seen: this.#seen, received: this.#received },
      ...{ seenBy: this.#participants.seenBy, forgotten: this.#forgotten },
      pending: this.#pending.operations,
      keys: this.#state.all(),
      flushes: this.#state.flushes,
      early: this.#early.all(),
      kept: this.#kept.all(),
    };
  }

  /** What the engine did for a client: the operation for the other sites. Without effects it only says what this site has seen. */
  captured(effects: readonly Effect[], now: number): Operation {
    const { origin } = this.#options;
    const at = nextTimestamp(this.#clock, now, origin);
    const operation = { dot: { origin, seq: this.seq + 1 }, at, seen: this.#seen, effects };
    this.#takeOwn(operation);
    this.#hasUnsaid = false;
    for (const effect of effects)
      if (effect.kind === "flush") for (const { key } of this.#state.all()) this.#pending.race(key);
      else this.#pending.race(effect.key);
    return operation;
  }

  /** What another site has done; an operation that comes before what it follows is kept, one that is known is ignored. */
  receive(operation: Operation): readonly Apply[] {
    if (covers(this.#received, operation.dot)) return [];
    this.#early.add(operation);
    return this.#takeEarly();
  }

  #takeEarly(): readonly Apply[] {
    const applies: Apply[] = [];
    for (;;) {
      const next = this.#early.takeReady(this.#received);
      if (next === undefined) return applies;
      this.#take(next);
      const mark = this.#pending.addOperation(next);
      applies.push({ mark, commands: this.#state.apply(next), operation: next });
    }
  }

  /** The mark of an `Apply` came by in the stream of the engine; the answer corrects what clients wrote meanwhile. */
  applied(mark: string): readonly Apply[] {
    const settled = this.#pending.settle(mark);
    if (settled?.operation !== undefined) this.#see(settled.operation);
    return settled?.raced.map((key) => this.#repair(key)) ?? [];
  }

  /** Writes every key of which something is known as the merge has it, and takes in what was saved for that: due once after `restored`. */
  repairAll(): readonly Apply[] {
    this.#needsRepair = false;
    return [...this.#state.all().map(({ key }) => this.#repair(key)), ...this.#takeEarly()];
  }

  /** No mark that is awaited will come: the engine has applied all that was given to it, and its stream is another one. */
  appliedAll(): void {
    for (const mark of this.#pending.marks) {
      const operation = this.#pending.settle(mark)?.operation;
      if (operation !== undefined) this.#see(operation);
    }
  }

  /** True when the other sites have to be told what this one has applied. */
  get hasUnsaid(): boolean {
    return this.#hasUnsaid;
  }

  /** The number of its last operation. */
  get seq(): number {
    return this.#received[this.#options.origin] ?? 0;
  }

  /** What its engine has applied. Once the engine keeps that as surely as its data, other sites may be told that it was received. */
  get seen(): VersionVector {
    return this.#seen;
  }

  /** What need not be sent to this process again. */
  get received(): VersionVector {
    return this.#received;
  }

  /** The log has its own operations up to this number, as surely as the database keeps data: they may be sent. */
  confirmed(seq: number): void {
    this.#confirmed = Math.max(this.#confirmed, seq);
  }

  /** Up to `limit` operations that a site lacks which has received only that, causes first. */
  operationsFor(received: VersionVector, limit: number): readonly KeptOperation[] {
    return this.#kept.after(received, { [this.#options.origin]: this.#confirmed }, limit);
  }

  /** False when operations that a site lacks which has received only that are no longer kept. */
  keepsFor(received: VersionVector): boolean {
    return this.#kept.reachesBack(received);
  }

  /** Another site numbers its operations so from now on; it may have lost its data, and what it had said. */
  peerBegins(origin: number): void {
    this.#participants.begins(origin);
  }

  /** The site that numbers its operations so keeps what this contains, as surely as its data; what all keep need not be sent again. */
  peerReceived(origin: number, received: VersionVector): void {
    this.#kept.drop(this.#participants.keeps(origin, received));
  }

  /** Size of the operations that other sites may lack, in bytes. */
  get keptBytes(): number {
    return this.#kept.bytes;
  }

  /** Forgets what every site has applied. */
  forgetAgreed(): void {
    if (this.#needsRepair) return;
    const agreed = this.#participants.agreed(this.#received);
    this.#forgotten = union(this.#forgotten, agreed);
    this.#state.forget(agreed, (key) => this.#pending.has(key));
  }

  /** Sites come and go. Nothing that the new ones lack is forgotten from now on, and the operations of those that went stay. */
  changeSites(sites: readonly number[]): void {
    this.#participants.change(sites);
  }

  /** What the others have to hear now and then, so that sites can come and go. */
  statement(): Statement {
    return { sites: this.#participants.sites, received: this.#received, forgotten: this.#forgotten };
  }

  /** What the site that numbers its operations so has stated last. */
  peerStates(origin: number, statement: Statement): void {
    this.#participants.states(origin, statement);
  }

  /** False while clients of a site that has come must not write: another site may have forgotten what this one has not seen. */
  get isAwaited(): boolean {
    return this.#participants.isAwaited(this.#options.origin, this.#seen);
  }

  /**
   * Where a site begins that gets all keys from this one, which must know of it. The keys are those of the engine, asked for
   * from now on, and those that are named.
   */
  transferBegin(): TransferBegin {
    return {
      ...{
        received: this.#received,
        clock: this.#clock,
        seenBy: this.#participants.seenBy,
        flushes: this.#state.flushes,
      },
      keys: this.#state.all().map(({ key }) => key),
    };
  }

  /** A key that was read at a mark, when that comes by; undefined while an operation on it is under way: read it again. */
  transferred(key: string, effects: readonly Effect[]): TransferredKey | undefined {
    return this.#pending.hasOperation(key) ? undefined : { key, effects, state: this.#state.stateOf(key) };
  }

  /** Keys of which more is known than what was agreed on. */
  get knownKeys(): number {
    return this.#state.size;
  }

  #replay({ operation, isOwn }: LoggedOperation): void {
    if (isOwn) {
      this.#seen = union(this.#seen, operation.seen);
      this.#takeOwn(operation);
    } else {
      this.#take(operation);
      this.#state.take(operation);
    }
  }

  #takeOwn(operation: Operation): void {
    this.#take(operation);
    this.#state.take(operation);
    this.#seen = including(this.#seen, operation.dot);
    this.#participants.hasSeen(this.#options.origin, this.#seen);
  }

  #take(operation: Operation): void {
    this.#received = including(this.#received, operation.dot);
    this.#clock = laterOf(this.#clock, operation.at);
    this.#kept.add(operation);
  }

  #see(operation: Operation): void {
    this.#seen = including(this.#seen, operation.dot);
    this.#participants.hasSeen(this.#options.origin, this.#seen);
    if (operation.effects.length > 0) this.#hasUnsaid = true;
    this.#participants.learn(operation);
  }

  #repair(key: string): Apply {
    this.#repairs += 1;
    const mark = `repair:${this.#options.life}:${this.#repairs}`;
    this.#pending.addRepair(mark, key);
    return { mark, commands: this.#state.repair(key), operation: undefined };
  }
}
