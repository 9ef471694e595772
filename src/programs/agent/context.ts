import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { InstanceSupervisor } from "../../mechanisms/supervisor/instances.ts";
import type { Kube } from "#kit/kube/kube";
import type { LocalInstance } from "../../ports/management/records.ts";
import type { EngineTls } from "../../ports/resp/engine-tls.ts";
import type { NodeAccess } from "./credentials/node-access.ts";
import type { DatabasePasswords } from "./credentials/database-passwords.ts";
import type { LicenseAuthorities } from "./credentials/license-authorities.ts";
import type { UserPasswords } from "./credentials/user-passwords.ts";
import type { Members } from "./members/members.ts";
import type { Peers } from "./members/peers.ts";
import type { EngineOfNode } from "./modules/engine-of-node.ts";
import type { LoadedModules, ModuleStore } from "./modules/module-store.ts";
import type { KeptRecords } from "./node/kept-records.ts";
import type { NodeBackups } from "./node/backups.ts";
import type { NodeLink } from "./node/link.ts";
import type { NodeMovers } from "./node/movers.ts";
import type { NodeProxy } from "./node/proxy.ts";
import type { VolumeGuard } from "./node/volume-guard.ts";
import type { EngineWatch } from "./observation/engine-watch.ts";
import type { Records } from "./records/records.ts";
import type { ChangeSignal } from "./runtime/change-signal.ts";
import type { AgentConfig } from "./runtime/config.ts";
import type { MountedSecret } from "./runtime/mounted-secret.ts";

/** What an agent is made of. Each part names the few members that it works on, and gets the whole. */
export interface AgentContext {
  readonly config: AgentConfig;
  readonly kube: Kube;
  readonly records: Records;
  readonly members: Members;
  readonly peers: Peers;
  readonly passwords: DatabasePasswords;
  readonly userPasswords: UserPasswords;
  /** The modules that this node has. */
  readonly modules: ModuleStore;
  /** What an instance loads on this node. */
  readonly modulesOf: LoadedModules;
  /** Who may sign the licences of this cluster. */
  readonly authorities: LicenseAuthorities;
  /** Control connections to the engines of all nodes. */
  readonly engines: EngineWatch;
  /** The engine processes of this node. */
  readonly supervisor: InstanceSupervisor;
  /** Limit of the container of the engines, in bytes; undefined where they run in that of the agent. */
  readonly engineMemory: () => number | undefined;
  /** The room on the volume of this node. */
  readonly volume: VolumeGuard;
  /** The records of databases as this node keeps them on its volume. */
  readonly keptRecords: KeptRecords;
  readonly localInstances: () => readonly LocalInstance[];
  readonly proxy: NodeProxy;
  /** What carries Active-Active databases to other sites. */
  readonly link: NodeLink;
  /** What fills the new shards of databases whose number of shards changes. */
  readonly movers: NodeMovers;
  /** The backups that this node takes while it leads. */
  readonly backups: NodeBackups;
  readonly foundEngines: readonly EngineOfNode[];
  readonly tls: MountedSecret<"tls.crt" | "tls.key" | "ca.crt">;
  /** How this node speaks TLS with engines. */
  readonly engineTls: EngineTls;
  /** Takes a new certificate for engines into use as soon as it is there, until `signal` aborts. */
  readonly followEngineTls: (signal: AbortSignal) => Promise<void>;
  /** Who is the cluster to its management API. */
  readonly access: NodeAccess;
  /** Notified of each change of records, members, engines and proxy. */
  readonly changes: ChangeSignal;
  readonly clock: Clock;
  readonly log: Log;
}
