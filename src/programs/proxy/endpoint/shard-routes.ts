import type { SlotTable } from "../../../core/slots/slot-table.ts";
import type { EndpointConfig, EndpointShard } from "../../../ports/management/proxy-control.ts";
import { ScanSources } from "../scan/sources.ts";
import type { SwitchoverContext } from "../switchover/context.ts";
import { ShardRoute } from "../switchover/shard-route.ts";
import type { Routes } from "../upstream/only-route.ts";
import { Upstream } from "../upstream/upstream.ts";
import { isClosed, servedShards } from "./served-shards.ts";

/** The shards of an endpoint: the ways to their primaries, in the order of the configuration, and which of them has each slot. */
export interface RoutedShards {
  readonly routes: Routes<ShardRoute>;
  /** Undefined when there is one shard, which has all slots. */
  readonly table: SlotTable | undefined;
  /** Where scans of the keys of each shard go on. */
  readonly scans: Routes<ScanSources>;
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
    this.#routed = routeShards(context, config);
  }

  /** The ways to the shards of a configuration that does not serve yet; PROXY_SLOT_TABLE when its shards and slots do not fit. */
  next(config: EndpointConfig): RoutedShards {
    if (this.#context === undefined) throw new Error("the endpoint has no shards yet");
    return routeShards(this.#context, config);
  }

  /** Serves by these ways from now on; the ways before. */
  serve(next: RoutedShards): RoutedShards {
    const before = this.#current;
    this.#routed = next;
    return before;
  }

  get #current(): RoutedShards {
    if (this.#routed === undefined) throw new Error("the endpoint has no shards yet");
    return this.#routed;
  }
}

/** What all ways of an endpoint work with. */
type RoutingContext = Omit<SwitchoverContext, "scans" | "hasOtherShards">;

/** The ways to the shards of a configuration; PROXY_SLOT_TABLE when its shards and slots do not fit. */
function routeShards(context: RoutingContext, config: EndpointConfig): RoutedShards {
  const { shards, table } = servedShards(config);
  const routeShard = (shard: EndpointShard): { readonly scans: ScanSources; readonly route: ShardRoute } => {
    const scans = new ScanSources(
      context.clock,
      (address) => new Upstream(address, { ...context, changed: () => undefined }),
      context.holdMs,
      config.tableEpoch,
    );
    const hasOtherShards = table !== undefined;
    return { scans, route: new ShardRoute({ ...context, scans, hasOtherShards }, shard, isClosed(config)) };
  };
  const [first, ...others] = shards;
  const [one, more] = [routeShard(first), others.map(routeShard)];
  return {
    table,
    scans: [one.scans, ...more.map(({ scans }) => scans)],
    routes: [one.route, ...more.map(({ route }) => route)],
  };
}
