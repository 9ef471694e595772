import type { SlotTable } from "../../../core/slots/slot-table.ts";
import type { EndpointConfig, EndpointShard } from "../../../ports/management/proxy-control.ts";
import { ScanSources } from "../scan/sources.ts";
import type { SwitchoverContext } from "../switchover/context.ts";
import { ShardRoute } from "../switchover/shard-route.ts";
import { routeTo, type Routes } from "../upstream/only-route.ts";
import { Upstream } from "../upstream/upstream.ts";
import { SCAN_CONNECTION } from "../../../ports/resp/connection-names.ts";
import { isClosed, servedShards } from "./served-shards.ts";

/** The shards of an endpoint: the ways to their primaries, in the order of the configuration, and which of them has each slot. */
export interface RoutedShards {
  readonly routes: Routes<ShardRoute>;
  /** Undefined when there is one shard, which has all slots. */
  readonly table: SlotTable | undefined;
  /** Where scans of the keys of each shard go on. */
  readonly scans: Routes<ScanSources>;
  readonly standing: Standing;
}

/** Whether clients are sent to these shards; otherwise they are prepared, and their primaries are promoted before that. */
interface Standing {
  serves: boolean;
}

/** The shards that serve an endpoint. */
export class EndpointShards {
  #context: RoutingContext | undefined;
  #routed: RoutedShards | undefined;

  get routes(): RoutedShards["routes"] {
    return this.#current.routes;
  }

  get table(): RoutedShards["table"] {
    return this.#current.table;
  }

  get scans(): RoutedShards["scans"] {
    return this.#current.scans;
  }

  /** To be called once, before anything else. PROXY_SLOT_TABLE when the shards and slots of the configuration do not fit. */
  begin(context: RoutingContext, config: EndpointConfig): void {
    this.#context = context;
    this.#routed = routeShards(context, config, { serves: true });
  }

  /** The ways to the shards of a configuration that does not serve yet, those that serve among them; PROXY_SLOT_TABLE when its shards and slots do not fit. */
  next(config: EndpointConfig, standing: Standing): RoutedShards {
    if (this.#context === undefined) throw new Error("the endpoint has no shards yet");
    return routeShards(this.#context, config, standing, this.#current);
  }

  /** Serves by these ways from now on, under this epoch of the table; the ways before. */
  serve(next: RoutedShards, tableEpoch: number): RoutedShards {
    const before = this.#current;
    for (const scans of next.scans) if (before.scans.includes(scans)) scans.changeTable(tableEpoch);
    this.#routed = next;
    next.standing.serves = true;
    return before;
  }

  get #current(): RoutedShards {
    if (this.#routed === undefined) throw new Error("the endpoint has no shards yet");
    return this.#routed;
  }
}

/** What all ways of an endpoint work with. */
type RoutingContext = Omit<SwitchoverContext, "scans" | "hasOtherShards" | "serves">;

/** The way to the shard that serves with this id; undefined when none does. */
function wayTo(serving: RoutedShards, { id }: EndpointShard) {
  const at = serving.routes.findIndex((route) => route.id === id);
  const scans = serving.scans[at];
  return scans === undefined ? undefined : { route: routeTo(serving, at), scans };
}

/** The ways to the shards of a configuration: that to a shard which serves stays. PROXY_SLOT_TABLE when its shards and slots do not fit. */
function routeShards(
  context: RoutingContext,
  config: EndpointConfig,
  standing: Standing,
  serving?: RoutedShards,
): RoutedShards {
  const { shards, table } = servedShards(config);
  const routeShard = (shard: EndpointShard): { readonly scans: ScanSources; readonly route: ShardRoute } => {
    const kept = serving === undefined ? undefined : wayTo(serving, shard);
    if (kept !== undefined) return kept;
    const scans = new ScanSources(
      context.clock,
      (address) => new Upstream(address, { ...context, ...OF_SCANS }),
      context.holdMs,
      config.tableEpoch,
    );
    const hasOtherShards = table !== undefined;
    const own = { scans, hasOtherShards, serves: () => standing.serves };
    return { scans, route: new ShardRoute({ ...context, ...own }, shard, isClosed(config)) };
  };
  const [first, ...others] = shards;
  const [one, more] = [routeShard(first), others.map(routeShard)];
  return {
    table,
    standing,
    scans: [one.scans, ...more.map(({ scans }) => scans)],
    routes: [one.route, ...more.map(({ route }) => route)],
  };
}

/** Scans go on where they began, also at an engine that is no primary any more. */
const OF_SCANS = { changed: () => undefined, connectionName: SCAN_CONNECTION, mustLead: () => false };
