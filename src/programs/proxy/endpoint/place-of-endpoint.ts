import type { Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { clusterMap, type ClusterMap, type ClusterPlace, type MapFacts } from "../../../core/slots/cluster-map.ts";
import { slotsOf } from "../../../core/slots/shard-slots.ts";
import { sliceSuffixes } from "../../../mechanisms/site/saved/slice.ts";
import type { Address, EndpointConfig } from "../../../ports/management/proxy-control.ts";
import type { ClusterMode } from "../client/identity.ts";
import type { EndpointPlace } from "../session/session-endpoint.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Routes } from "../upstream/only-route.ts";

interface PlacedRoute {
  readonly upstream: Pick<Upstream, "address"> | undefined;
}

/** An endpoint whose place this is. */
interface PlacedEndpoint {
  /** What the endpoint was given last. */
  readonly config: EndpointConfig;
  readonly routes: Routes<PlacedRoute>;
}

/** Where an endpoint stands, and which other nodes serve which slots of its database. */
export class PlaceOfEndpoint implements EndpointPlace {
  readonly #endpoint: PlacedEndpoint;
  /** The last map, and what it was made of. */
  #made: (PlacedEndpoint & { readonly hosts: readonly (string | undefined)[]; readonly map: ClusterMap }) | undefined;

  constructor(endpoint: PlacedEndpoint) {
    this.#endpoint = endpoint;
  }

  get node(): number {
    return this.#endpoint.config.node;
  }

  get host(): string {
    return this.#endpoint.config.listen.host;
  }

  get service(): Address {
    return this.#endpoint.config.service;
  }

  /** What a client is that has just connected: at the port that the map names, one of a cluster. */
  modeOf(socket: Pick<Socket, "localPort">): ClusterMode | undefined {
    const { clusterPort } = this.#endpoint.config;
    // the kernel has to be asked for the port
    return clusterPort !== undefined && socket.localPort === clusterPort ? { readsReplicas: false } : undefined;
  }

  get slices(): EndpointPlace["slices"] {
    const { site, shards } = this.#endpoint.config;
    return shards.map((shard) => sliceSuffixes(slotsOf(shard), site?.slices ?? 1));
  }

  get map(): ClusterMap | undefined {
    const { config, routes } = this.#endpoint;
    if (!config.settings.ossCluster) return undefined;
    const made = this.#made;
    const former = made?.routes === routes ? made.hosts : [];
    const hostOf = ({ upstream }: PlacedRoute, at: number): string | undefined =>
      upstream?.address.host ?? config.shards[at]?.primary?.host ?? former[at];
    const isAsBefore = (route: PlacedRoute, at: number): boolean => hostOf(route, at) === former[at];
    // asked for each read of a client: there may be 512 shards, and nothing is made while all are as before
    if (made?.config === config && made.routes === routes && routes.every(isAsBefore)) return made.map;
    const hosts = routes.map(hostOf);
    const next = clusterMap(mapFacts(config, hosts));
    const map = isDeepStrictEqual(made?.map, next) && made !== undefined ? made.map : next;
    this.#made = { config, routes, hosts, map };
    return map;
  }
}

/** Certificates name the Service alone: with TLS it is the only node, and leads to any of them. */
function mapFacts(config: EndpointConfig, hosts: readonly (string | undefined)[]): MapFacts {
  const { bdb, node, listen, clusterPort = listen.port, service, nodes = [], settings, shards } = config;
  const isNamed = settings.tlsMode !== "disabled";
  const own: ClusterPlace = isNamed ? { node: ANY_NODE, host: service.host } : { node, host: listen.host };
  return {
    bdb,
    own,
    port: isNamed ? service.port : clusterPort,
    speaksTls: isNamed,
    places: isNamed ? [own] : nodes,
    shards: shards.map((shard, at) => ({ slots: slotsOf(shard), host: hosts[at] })),
  };
}

/** No node has this uid. */
const ANY_NODE = 0;
