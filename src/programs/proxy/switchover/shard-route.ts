import { Fault } from "#kit/base/fault";
import type { EndpointShard, EnginePlace, OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import { LIMITS } from "../limits/limits.ts";
import { replies } from "../protocol/replies.ts";
import { mirrorSubscribers } from "../pinned/mirror-subscribers.ts";
import { DEFAULT_SETTINGS } from "../upstream/connection-settings.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { isRequirementKnown, requirementOf, type Requirement } from "../upstream/requirement.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { within } from "../timing/within.ts";
import { ChangeCounts } from "./change-counts.ts";
import type { SwitchoverClient, SwitchoverContext } from "./context.ts";
import { CurrentPrimary } from "./current-primary.ts";
import { epochTooLow } from "./epoch-too-low.ts";
import { Hold } from "./hold.ts";
import { NextPrimary } from "./next-primary.ts";
import { describeOldest, quiet } from "./quiet.ts";
import { ScriptCarrier } from "./script-carrier.ts";

/** The way to the primary of one shard of an endpoint, and the change from one primary to the next. Each change has a higher epoch. */
export class ShardRoute implements PrimaryView {
  /** The id of the shard. */
  readonly id: number;
  readonly #context: SwitchoverContext;
  readonly #current: CurrentPrimary;
  readonly #counts: ChangeCounts;
  /** The scripts of clients at the primary. */
  readonly scripts: ScriptCarrier;
  #epoch: number;
  readonly #next = new NextPrimary();
  #hold: Hold | undefined;
  #sync: EndpointShard["sync"];
  #doubtful = false;

  /** `isClosed`: clients are kept from the engine. */
  constructor(context: SwitchoverContext, { id, epoch, primary, sync }: EndpointShard, isClosed: boolean) {
    this.id = id;
    this.#context = context;
    this.#counts = new ChangeCounts(context.counters);
    this.scripts = new ScriptCarrier(context, () => this.upstream);
    this.#epoch = epoch;
    this.#current = new CurrentPrimary(context, () => {
      this.#changed();
    });
    this.#current.address = primary;
    this.#current.close(isClosed);
    this.#sync = sync;
    this.#setScans();
    this.#current.require(this.#requirement);
    if (primary !== undefined) this.#current.serve(this.#current.connectTo(primary));
    this.#current.watch();
  }

  get epoch(): number {
    return this.#epoch;
  }

  get upstream(): Upstream | undefined {
    return this.#current.upstream;
  }

  get unavailable(): boolean {
    return this.#current.unavailable;
  }

  get refusal(): Buffer {
    return this.isClosed ? replies.awaitsSites : replies.noPrimary;
  }

  /** Clients are kept from the engine. */
  get isClosed(): boolean {
    return this.#current.isClosed;
  }

  get held(): boolean {
    return this.#hold !== undefined || this.#current.waitsForLease;
  }

  get doubtful(): boolean {
    return this.#doubtful;
  }

  get heldUntil(): number {
    return this.#counts.heldUntil;
  }

  get holdMs(): number {
    return this.#context.holdMs();
  }

  /** PROXY_EPOCH_TOO_LOW for an epoch below `least`. */
  requireEpoch(epoch: number, least = this.#epoch): void {
    if (epoch >= least) return;
    const { bdb } = this.#context;
    throw epochTooLow(`Shard ${this.id} of database ${bdb} is`, {
      bdb,
      shard: this.id,
      known: this.#epoch,
      given: epoch,
    });
  }

  /** Takes over epoch and primary of a new configuration; PROXY_EPOCH_TOO_LOW when it is older than what is known. */
  configure({ epoch, primary, sync }: EndpointShard, isClosed: boolean): void {
    this.requireEpoch(epoch);
    this.#current.address = primary;
    const isOther = this.#current.close(isClosed);
    const moved = this.#isElsewhere(primary);
    const isSame = epoch === this.#epoch && !moved && !isOther;
    if (epoch > this.#epoch) this.#doubtful = false;
    this.#epoch = epoch;
    this.#sync = sync;
    if (!moved) this.#current.require(this.#requirement);
    if (isOther) this.#context.scans.close();
    this.#setScans();
    if (isSame) return;
    if (primary === undefined) this.#current.sever();
    else if (moved) this.#switchTo(primary);
  }

  #isElsewhere(primary: EnginePlace | undefined): boolean {
    return primary !== undefined && !this.isClosed && !this.#current.isAt(primary);
  }

  /** Connects to the primary-to-be, PROXY_TARGET_UNREACHABLE when that fails, and begins to load the scripts of clients there. */
  async prepare(epoch: number, target: EnginePlace): Promise<void> {
    this.requireEpoch(epoch);
    const settingsOf = ({ pinned, identity }: SwitchoverClient) => pinned.allAt(this).map(() => identity.settings);
    const pins = [...this.#context.clients].flatMap(settingsOf);
    const inUse = { lanes: this.upstream?.lanes.served ?? [DEFAULT_SETTINGS], pins };
    await this.#next.prepare(this.#current.connectTo(target), inUse, this.scripts);
  }

  /** Waits until no request has been at the engine for long, at most `withinMs`; what a hold would have to wait for then. */
  quiet(withinMs: number): Promise<readonly OutstandingRequest[]> {
    return quiet(() => this.outstanding, this.#context.clock, withinMs);
  }

  /** Requests at the engine that others may wait for. */
  get outstanding(): readonly OutstandingRequest[] {
    const own = [...this.#context.clients].map(({ work }) => work.outstandingAt(this));
    return [...(this.upstream?.lanes.oldest ?? []), ...own.filter((request) => request !== undefined)];
  }

  /** Stops taking requests; resolves with the milliseconds until none was outstanding. PROXY_NOT_DRAINED resumes at once. */
  async hold(epoch: number, drainMs: number, holdMs: number): Promise<number> {
    this.requireEpoch(epoch);
    const hold = this.#beginHold(epoch, holdMs);
    this.upstream?.lanes.flush();
    const { clients } = this.#context;
    for (const client of [...clients]) client.work.cutOverdueAt(this);
    this.upstream?.lanes.destroyOverdue(LIMITS.patienceMs);
    const busy = [...clients].filter((client) => client.work.isBusyAt(this));
    const drained = await hold.drain(busy, drainMs);
    if (drained !== undefined) {
      // messages that came unasked must pass too, before the engine is no primary any more
      await within(this.#context.clock, drainMs, () => this.upstream?.rounds.busy !== true);
      await this.#mirrorSubscribers(drainMs);
      if (this.#hold === hold) return drained;
    }
    const left = busy.filter((client) => client.work.isBusyAt(this)).length;
    const named = describeOldest(this.outstanding);
    this.#resume(hold);
    const message = `${left} clients still wait for a reply after ${drainMs} ms${named}, or the hold was ended before that.`;
    throw new Fault(faults.notDrained, message, { left, drainMs });
  }

  /** Leaves a primary that is cut off: its replies do not count from now on. PROXY_EPOCH_TOO_LOW when it was succeeded. */
  fence(epoch: number): void {
    if (epoch === this.#epoch && this.upstream === undefined) return;
    this.requireEpoch(epoch, this.#epoch + 1);
    this.#epoch = epoch;
    this.#current.address = undefined;
    this.#setScans();
    this.#next.drop();
    this.#current.sever();
    if (this.#hold !== undefined) this.#resume(this.#hold);
  }

  /** True once replies wait for the replicas of this version of the set, or of a later one; false after `withinMs`. */
  confirm(epoch: number, version: number, withinMs: number): Promise<boolean> {
    const known = (): boolean => isRequirementKnown(this.#sync, this.#epoch, { epoch, version });
    return within(this.#context.clock, withinMs, known);
  }

  /** Goes on at `target`; resolves with the milliseconds for which clients were held. */
  async release(epoch: number, target: EnginePlace, sync: EndpointShard["sync"]): Promise<number> {
    const known = epoch === this.#epoch && this.#current.isAt(target);
    if (!known) this.requireEpoch(epoch, this.upstream === undefined ? this.#epoch : this.#epoch + 1);
    const hold = this.#hold;
    this.#epoch = epoch;
    this.#doubtful = false;
    this.#current.address = target;
    // without it, the set of the former epoch does not count, and replies wait for the configuration
    if (!known && sync !== undefined) this.#sync = sync;
    if (known) this.#current.require(this.#requirement);
    else this.#switchTo(target);
    this.#setScans();
    if (this.upstream !== undefined) await this.scripts.complete(this.upstream);
    if (hold !== undefined) this.#resume(hold);
    return hold?.ageMs ?? 0;
  }

  /** Goes on at the old primary and forgets the one that was prepared. */
  abort(epoch: number): void {
    this.requireEpoch(epoch, this.#hold?.epoch);
    this.#doubtful = false;
    this.#next.drop();
    if (this.#hold !== undefined) this.#resume(this.#hold);
  }

  /** Requests of this client are answered, or it is gone. */
  settled(client: SwitchoverClient, isGone: boolean): void {
    if (this.#hold !== undefined && (isGone || !client.work.isBusyAt(this))) this.#hold.settled(client);
  }

  /** Forgets a hold and what was prepared: the sessions are about to end. */
  stop(): void {
    this.#hold?.end();
    this.#hold = undefined;
    this.#next.drop();
  }

  /** Ends the connections to the primary, and to those before it; or others serve in its place, and it is as at a change of primary. */
  close(isSucceeded = false): void {
    if (isSucceeded) this.#counts.moved(this.#hold !== undefined);
    if (this.#hold !== undefined) this.#counts.held(this.#hold.ageMs);
    this.stop();
    this.#current.end(isSucceeded);
    if (isSucceeded) this.#setScans();
    this.#context.scans.close();
  }

  #beginHold(epoch: number, holdMs: number): Hold {
    const { clock, counters, log } = this.#context;
    this.#hold?.end();
    const hold = new Hold(epoch, clock, holdMs, () => {
      counters.holdsExpired++;
      this.#doubtful = true;
      log.warn("hold ended at its own deadline", { epoch, holdMs });
      this.#resume(hold);
    });
    this.#hold = hold;
    return hold;
  }

  async #mirrorSubscribers(withinMs: number): Promise<void> {
    const next = this.#next.upstream;
    if (next === undefined || this.upstream === undefined) return;
    const { clients, log } = this.#context;
    const subscribers = [...clients].flatMap(({ pinned }) => pinned.allAt(this).map(({ subscriber }) => subscriber));
    await mirrorSubscribers(subscribers, this.upstream, next, withinMs, log);
  }

  #setScans(): void {
    this.#context.scans.setPrimary(this.#epoch, this.isClosed ? undefined : this.#current.address, this.#requirement);
  }

  get #requirement(): Requirement {
    return requirementOf(this.#sync, this.#epoch);
  }

  #switchTo(target: EnginePlace): void {
    this.#counts.moved(this.#hold !== undefined);
    this.#current.replace(this.#next.take(target) ?? this.#current.connectTo(target), this.#requirement);
  }

  #changed(): void {
    const goneMs = this.#current.watch();
    this.#counts.reached(goneMs, this.#hold !== undefined);
    // an engine that has started again has no scripts
    if (goneMs !== undefined && this.upstream !== undefined) void this.scripts.complete(this.upstream);
    if (this.held) return;
    this.#current.wake();
    // sessions that only go on do not wait for those that must be moved
    const { plain = [], pinned = [] } = Object.groupBy(this.#context.clients, (client) =>
      client.pinned.allAt(this).length > 0 ? "pinned" : "plain",
    );
    for (const client of [...plain, ...pinned]) client.turns.upstreamChanged(this);
  }

  #resume(hold: Hold): void {
    hold.end();
    if (this.#hold !== hold) return;
    this.#hold = undefined;
    this.#counts.held(hold.ageMs);
    this.#changed();
  }
}
