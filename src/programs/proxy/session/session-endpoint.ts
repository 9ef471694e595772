import type { Clock } from "#kit/base/clock";
import type { OtherClients } from "../../../ports/management/clients-question.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import type { Log } from "#kit/base/log";
import type { EngineLogin } from "../../../core/api/engine-login.ts";
import type { Credentials } from "../client/credentials.ts";
import type { ClientPause } from "./client-pause.ts";
import type { ListedClient } from "./listed-client.ts";
import type { MemoryBudget } from "../limits/memory-budget.ts";
import type { Counters } from "../limits/counters.ts";
import type { ScanSources } from "../scan/sources.ts";
import type { InTurns } from "../timing/in-turns.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { ParameterWrites } from "./parameter-writes.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";
import type { Routes } from "../upstream/only-route.ts";
import type { ClusterMap } from "../../../core/slots/cluster-map.ts";
import type { SlotTable } from "../../../core/slots/slot-table.ts";

/** Where an endpoint stands, and others of the database. */
export interface EndpointPlace {
  /** uid of this node. */
  readonly node: number;
  /** Its address. */
  readonly host: string;
  /** The Service of the database, which leads to nodes that accept clients. */
  readonly service: Address;
  /** Of each shard of a site, what its slices are called where links answer. */
  readonly slices: readonly (readonly string[])[];
  /** Which node serves which slots, for clients of a cluster; the same object as long as it is the same. Undefined where clients see no cluster. */
  readonly map: ClusterMap | undefined;
}

/** An endpoint as its sessions see it. */
export interface SessionEndpoint {
  readonly clock: Clock;
  readonly log: Log;
  /** The ways to the primaries of its shards. */
  readonly routes: Routes<PrimaryView>;
  /** Which of them each slot belongs to; undefined when the database has one shard. */
  readonly table: SlotTable | undefined;
  readonly credentials: Credentials;
  /** The endpoint is that of a site of an Active-Active database: its clients write only what links carry. */
  readonly isSite: boolean;
  /** The logins of connections for clients' requests, in the order in which the proxy tries them. */
  readonly logins: readonly EngineLogin[];
  readonly counters: Counters;
  /** Whether a client may have a further connection to the engine for itself. */
  readonly mayPin: boolean;
  /** The memory budget of the process. */
  readonly memory: MemoryBudget;
  readonly scripts: RememberedScripts;
  /** Where scans go on, by the place of their shard. */
  readonly scans: Routes<ScanSources>;
  readonly pause: ClientPause;
  readonly inTurns: InTurns;
  /** CONFIG SET of its clients. */
  readonly parameters: ParameterWrites;
  /** Parameters that the endpoint knows better than the engine, for CONFIG GET. */
  readonly ownParameters: ReadonlyMap<string, string>;
  /** All clients of the endpoint at this proxy. */
  readonly clients: ReadonlySet<ListedClient>;
  /** Its clients see a cluster. */
  readonly isCluster: boolean;
  /** Where it stands. */
  readonly place: EndpointPlace;
  /** Carries out a request about all clients of the database at the other nodes and workers, or at other workers of `node` alone; it does not reject. */
  askOthers(request: readonly Buffer[], node?: number): Promise<readonly OtherClients[]>;
}
