import { assertNever } from "#kit/base/assert-never";
import { Fault } from "#kit/base/fault";
import type {
  EndpointConfig,
  EndpointShard,
  ProxyCommand,
  ProxyReply,
} from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import type { ShardRoute } from "../switchover/shard-route.ts";
import { epochTooLow } from "../switchover/epoch-too-low.ts";
import { warmUp, type ConnectionsInUse } from "../switchover/warm-up.ts";
import { settingsKey } from "../upstream/connection-settings.ts";
import type { EndpointParts } from "./endpoint-parts.ts";
import { isClosed, nextShards, servedShards, type NextShards } from "./served-shards.ts";
import type { EndpointShards, RoutedShards } from "./shard-routes.ts";

type TableCommand = Extract<ProxyCommand, { readonly op: `${string}-table` }>;

/**
 * The change of an endpoint from the shards that serve it to other ones, whichever their numbers are: what a change of primary is, for all shards
 * at once. The ways to shards that are kept stay, with what the proxy knows of them. Each change has a higher epoch of the table.
 */
export class TableChange {
  readonly #parts: EndpointParts;
  readonly #served: EndpointShards;
  #prepared: { readonly tableEpoch: number; readonly routed: RoutedShards } | undefined;
  /** The shards before those that serve: scans end there. */
  #former: RoutedShards | undefined;
  /** The last hold, and when it began, by `performance.now`. */
  #hold: { readonly tableEpoch: number; readonly since: number } | undefined;
  /** Lower epochs were given up. */
  #least = 0;

  constructor(parts: EndpointParts, served: EndpointShards) {
    this.#parts = parts;
    this.#served = served;
  }

  /** Carries out a command about the table; PROXY_EPOCH_TOO_LOW when it comes too late, PROXY_SLOT_TABLE when shards and slots do not fit. */
  async execute(command: TableCommand): Promise<ProxyReply> {
    const { op, tableEpoch } = command;
    switch (op) {
      case "prepare-table":
        await this.#prepare(tableEpoch, command.shards);
        return { ok: true, op };
      case "hold-table":
        return { ok: true, op, drainMs: await this.#holdAll(tableEpoch, command.drainMs, command.holdMs) };
      case "release-table":
        return { ok: true, op, heldMs: await this.#release(tableEpoch, command.shards) };
      case "abort-table":
        this.#abort(tableEpoch);
        return { ok: true, op };
      default:
        return assertNever(op);
    }
  }

  /** Takes over a configuration whose shards are these. */
  configure(config: EndpointConfig, { shards, isOther }: NextShards): void {
    if (isOther) {
      this.#switch(config, this.#routedFor(config));
      // clients of shards that are kept may be held still
      if (this.#hold !== undefined) this.#resume();
      return;
    }
    if (config.tableEpoch !== this.#parts.config.tableEpoch)
      for (const scans of this.#served.scans) scans.changeTable(config.tableEpoch ?? 0);
    this.#parts.config = config;
    this.#configureRoutes(this.#parts.routes, shards, isClosed(config));
  }

  /** Ends the connections to shards that do not serve. */
  close(): void {
    this.#dropPrepared();
    for (const route of goneFrom(this.#former, this.#parts)) route.close();
  }

  /** Dials the primaries-to-be; PROXY_TARGET_UNREACHABLE when one cannot be reached. */
  async #prepare(tableEpoch: number, shards: readonly EndpointShard[]): Promise<void> {
    this.#requireNext(tableEpoch);
    const { config, next } = this.#configWith(tableEpoch, shards);
    this.#dropPrepared();
    if (!next.isOther) return;
    const prepared = { tableEpoch, routed: this.#served.next(config, { serves: false }) };
    this.#prepared = prepared;
    try {
      await Promise.all(goneFrom(prepared.routed, this.#parts).map((route) => this.#warm(route)));
    } catch (error) {
      if (this.#prepared === prepared) this.#dropPrepared();
      throw error;
    }
  }

  /** Holds clients of all shards; resolves with the milliseconds until nothing was outstanding. PROXY_NOT_DRAINED resumes at once. */
  async #holdAll(tableEpoch: number, drainMs: number, holdMs: number): Promise<number> {
    this.#requireNext(tableEpoch);
    this.#requireLatest(tableEpoch);
    const { routes } = this.#parts;
    const hold = { tableEpoch, since: performance.now() };
    this.#hold = hold;
    try {
      const drained = Math.max(...(await Promise.all(routes.map((route) => route.hold(route.epoch, drainMs, holdMs)))));
      await this.#prepareClients();
      return drained;
    } catch (error) {
      // another hold may have come in its place, and is not its to end
      if (this.#hold === hold) this.#resume();
      throw error;
    }
  }

  /** Those who listen do so at the next shards as well, as far as they can within a moment. */
  async #prepareClients(): Promise<void> {
    const { clients, clock } = this.#parts;
    const routed = this.#prepared?.routed;
    if (routed === undefined) return;
    const prepared = Promise.all([...clients].map((client) => client.work.crossing.prepare(routed)));
    await Promise.race([prepared, clock.sleep(PREPARE_MS)]);
  }

  /** Goes on at these shards; resolves with the milliseconds for which clients were held. */
  async #release(tableEpoch: number, shards: readonly EndpointShard[]): Promise<number> {
    if (tableEpoch < this.#least) this.#requireNext(tableEpoch);
    const { config, next } = this.#configWith(tableEpoch, shards);
    if (!next.isOther) {
      this.#dropPrepared();
      this.configure(config, next);
      return this.#resume();
    }
    const routed = this.#routedFor(config);
    this.#prepared = { tableEpoch, routed };
    // clients are held: what was loaded before is not asked for again, and shards that are kept have theirs
    await Promise.all(goneFrom(routed, this.#parts).map((route) => bringScripts(route)));
    if (this.#parts.routes === routed.routes) return 0;
    if (this.#prepared?.routed.routes !== routed.routes) throw this.#tooLow(tableEpoch);
    this.#switch(this.#configWith(tableEpoch, shards).config, routed);
    return this.#resume();
  }

  #abort(tableEpoch: number): void {
    this.#requireNext(tableEpoch);
    this.#requireLatest(tableEpoch);
    this.#least = tableEpoch + 1;
    this.#dropPrepared();
    this.#resume();
  }

  /** Lets clients go on; for how long they were held, in milliseconds. */
  #resume(): number {
    const heldMs = this.#hold === undefined ? 0 : performance.now() - this.#hold.since;
    this.#hold = undefined;
    for (const route of this.#parts.routes) route.abort(route.epoch);
    return heldMs;
  }

  #switch(config: EndpointConfig, routed: RoutedShards): void {
    this.#prepared = undefined;
    this.#configureRoutes(routed.routes, config.shards, isClosed(config));
    const former = this.#served.serve(routed, config.tableEpoch ?? 0);
    this.#parts.config = config;
    const { clients } = this.#parts;
    for (const client of [...clients]) client.work.crossing.begin(former);
    const leaving = [...clients].filter(({ work }) => work.crossing.isDue);
    // what clients have waited with is sent before connections are ended, which takes about as long
    for (const client of [...clients]) client.turns.pump();
    for (const { upstream } of routed.routes) upstream?.lanes.flush();
    for (const route of goneFrom(former, routed)) route.close(true);
    for (const route of goneFrom(this.#former, routed, former)) route.close();
    this.#former = former;
    for (const { turns } of leaving) turns.pump();
  }

  async #warm({ id, upstream, scripts }: ShardRoute): Promise<void> {
    if (upstream === undefined) throw new Fault(faults.notPrepared, `Shard ${id} has no primary.`, {});
    await warmUp(upstream, this.#inUse, scripts);
  }

  #configureRoutes(routes: readonly ShardRoute[], shards: readonly EndpointShard[], isShut: boolean): void {
    for (const shard of shards) routes.find(({ id }) => id === shard.id)?.configure(shard, isShut);
  }

  /** The ways to the shards of a configuration, with the connections that were prepared. */
  #routedFor(config: EndpointConfig): RoutedShards {
    const { tableEpoch, routed } = this.#prepared ?? {};
    const isPrepared =
      tableEpoch === config.tableEpoch &&
      routed?.routes.length === config.shards.length &&
      routed.routes.every(({ id }, at) => id === config.shards[at]?.id);
    if (isPrepared) return { ...routed, table: servedShards(config).table };
    this.#dropPrepared();
    return this.#served.next(config, { serves: true });
  }

  #configWith(tableEpoch: number, shards: readonly EndpointShard[]) {
    const config = { ...this.#parts.config, tableEpoch, shards };
    return { config, next: nextShards(config, this.#parts.config, this.#parts.routes) };
  }

  #requireNext(tableEpoch: number): void {
    if (tableEpoch <= this.#known || tableEpoch < this.#least) throw this.#tooLow(tableEpoch);
  }

  /** A leader that is late must not touch the hold of its successor. */
  #requireLatest(tableEpoch: number): void {
    if (this.#hold !== undefined && tableEpoch < this.#hold.tableEpoch) throw this.#tooLow(tableEpoch);
  }

  #tooLow(given: number): Error {
    const { bdb } = this.#parts.config;
    const known = Math.max(this.#known, this.#least - 1, this.#hold?.tableEpoch ?? 0);
    return epochTooLow(`The slots of database ${bdb} are`, { bdb, known, given });
  }

  #dropPrepared(): void {
    for (const client of this.#prepared === undefined ? [] : this.#parts.clients) client.work.crossing.giveUp();
    for (const route of goneFrom(this.#prepared?.routed, this.#parts)) route.close();
    this.#prepared = undefined;
  }

  get #known(): number {
    return this.#parts.config.tableEpoch ?? 0;
  }

  /** The connections of each kind that clients have now. */
  get #inUse(): ConnectionsInUse {
    const lanes = this.#parts.routes.flatMap(({ upstream }) => upstream?.lanes.served ?? []);
    return { lanes: [...new Map(lanes.map((settings) => [settingsKey(settings), settings])).values()], pins: [] };
  }
}

/** The ways of a table that none of the others has: a way to a shard that is kept goes on. */
function goneFrom(
  table: Pick<RoutedShards, "routes"> | undefined,
  ...others: readonly Pick<RoutedShards, "routes">[]
): readonly ShardRoute[] {
  return (table?.routes ?? []).filter((route) => !others.some(({ routes }) => routes.includes(route)));
}

/** How long clients are held for those who listen: the others listen at the next shards a moment after these serve. */
const PREPARE_MS = 500;

async function bringScripts({ upstream, scripts }: ShardRoute): Promise<void> {
  if (upstream !== undefined) await scripts.complete(upstream, { isIdle: true });
}
