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

/** The ways to the shards of a configuration; PROXY_SLOT_TABLE when its shards and slots do not fit. */
export function routeShards(
  context: Omit<SwitchoverContext, "scans" | "hasOtherShards">,
  config: EndpointConfig,
): RoutedShards {
  const { shards, table } = servedShards(config);
  const routeShard = (shard: EndpointShard): { readonly scans: ScanSources; readonly route: ShardRoute } => {
    const scans = new ScanSources(
      context.clock,
      (address) => new Upstream(address, { ...context, changed: () => undefined }),
      context.holdMs,
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
