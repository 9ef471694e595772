import { clusterNames } from "../../../core/api/names.ts";
import type { DatabaseRecord, InstanceRecord } from "../../../core/api/records.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { LocalInstance } from "../../../ports/management/routes.ts";
import type { PlacedInstance } from "../../../core/planner/database/facts.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { AgentConfig } from "../config.ts";
import type { EngineWatch } from "../leader/engine-watch.ts";
import { askEngines } from "../leader/observation.ts";
import type { Answers, NodeWord } from "../leader/observation.ts";
import type { LicenseAuthorities } from "./license-authorities.ts";
import type { Members } from "./members.ts";
import type { ModuleStore } from "../node/module-store.ts";
import type { Passwords } from "../node/passwords.ts";
import type { UserPasswords } from "../node/user-passwords.ts";
import type { Peers } from "./peers.ts";
import type { Records } from "./records.ts";

/** Everything an agent knows of the cluster, and the ways to ask further. */
export interface ClusterView {
  readonly config: AgentConfig;
  readonly records: Records;
  readonly members: Members;
  readonly passwords: Passwords;
  readonly userPasswords: UserPasswords;
  /** The modules that this node has. */
  readonly modules: ModuleStore;
  /** Who may sign the licences of this cluster. */
  readonly authorities: LicenseAuthorities;
  readonly engines: EngineWatch;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Log;
  /** This node's own engines. */
  readonly localInstances: () => readonly LocalInstance[];
}

/** Where a node's engines, proxy and management API listen; undefined while it has never reported. */
export function addressOf(view: ClusterView, node: number): string | undefined {
  return node === view.config.node ? view.config.address : view.members.get(node)?.report.address;
}

/** How to reach the engine of an instance; undefined while its node has never reported. */
export function engineAddress(
  view: ClusterView,
  instance: InstanceRecord,
  password: string,
): EngineAddress | undefined {
  const host = addressOf(view, instance.node);
  return host === undefined ? undefined : { host, port: instance.port, password };
}

/** One look at all engines of a database; at none of one that is being deleted. */
export async function lookAt(view: ClusterView, record: DatabaseRecord): Promise<Answers> {
  if (record.status === "delete-pending") return new Map();
  const password = await view.passwords.of(record);
  return askEngines(record, view.engines, (instance) => engineAddress(view, instance, password));
}

/** What the agent of `node` says about one instance. */
export async function askNode(view: ClusterView, node: number, bdb: number, instance: number): Promise<NodeWord> {
  const all = node === view.config.node ? view.localInstances() : await view.peers.localInstances(node);
  if (all === undefined) return { kind: "silent" };
  return { kind: "told", instance: all.find((one) => one.bdb === bdb && one.instance === instance) };
}

/** The instances of all databases with what they take of their nodes. */
export function everyInstance(records: readonly DatabaseRecord[]): readonly PlacedInstance[] {
  return records.flatMap((record) =>
    record.shards.flatMap((shard) =>
      shard.instances.map(({ id, node, port }) => ({
        node,
        port,
        memoryBytes: record.memoryBytes,
        primary: id === shard.primary,
      })),
    ),
  );
}

/** The name on the cluster's certificates and licence. */
export function dnsNameOf({ config }: ClusterView): string {
  return clusterNames.dnsName(config.cluster, config.namespace);
}
