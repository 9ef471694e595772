import type { DueRotation } from "./engine-rotation.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord, StoreVersion } from "../../api/records.ts";
import type { ContainerMemory } from "../node/capacity.ts";
import type { ReshapeFacts } from "./reshape-facts.ts";
import type { WaitingRequest } from "./waiting-requests.ts";

/** A node as the leader sees it at one moment. */
export interface NodeFacts {
  readonly uid: number;
  /** Its lease is fresh, or its agent answers the leader. */
  readonly alive: boolean;
  /** Milliseconds since it was last seen alive; 0 while it is. */
  readonly goneForMs: number;
  /** Primaries and clients shall leave it. */
  readonly draining: boolean;
  /** Versions that it has an engine for. */
  readonly engines: readonly StoreVersion[];
  /** Memory of its machine, in bytes. */
  readonly memoryBytes: number;
  /** Memory of its container; absent from nodes of releases before 0.4.0, which report their machine alone. */
  readonly container?: ContainerMemory;
  /** Bytes that databases may take on its volume; absent from nodes of releases before 0.4.0. */
  readonly volumeRoom?: number;
  /** The versions whose engine speaks TLS; none for nodes of releases before 0.4.0. */
  readonly tlsEngines: readonly StoreVersion[];
  /** The node keeps the in-sync sets of its primaries; nodes of releases before 0.4.0 do not. */
  readonly keepsInSync: boolean;
  /** Given a launch, it starts anew a primary that runs as a replica; nodes of releases before 0.6.0 leave it as it is. */
  readonly startsAnew: boolean;
  /** The name of its pod. */
  readonly pod: string;
}

/** The result of asking one engine process. */
export interface InstanceFacts {
  /**
   * `serving` answers; `busy` says that it runs a script, and nothing else; `loading` is on its way up or down; `dead` refuses
   * connections although its agent says that it does not start it, is reported crashed by its own node, or its node is gone;
   * `silent` did not answer in time, for an unknown reason.
   */
  readonly state: "serving" | "busy" | "loading" | "dead" | "silent";
  /** The script that it runs; present only while it is busy. */
  readonly script?: WaitingRequest;
  /** What the process says of itself; absent unless it serves. */
  readonly role?: "primary" | "replica";
  readonly offset: number;
  /** Bytes behind the primary's offset of a moment before; -1 when unknown. */
  readonly lagBytes: number;
  /** The primary streams to it and its own link is up. */
  readonly streaming: boolean;
  /** Which engine a serving replica follows, where a shard is to be its mover; `another` also when it follows none and is a primary. */
  readonly follows?: "the primary" | "another";
  /** It is a primary, or was linked to its primary since it started: what it holds is no older than that. */
  readonly hasData: boolean;
  /** It holds keys that it read from its own disk: older than what the primary had, and better than nothing. */
  readonly kept?: true;
  /** Its data directory is gone or another one: nothing that it kept is there. */
  readonly lostData?: true;
  /** How often in a row it has ended before it served; present only when its node reports it crashed or starting. */
  readonly failedStarts?: number;
  /** What its engine said when it ended, or why it could not be started; present only when its node reports it crashed or starting. */
  readonly lastWords?: string;
  /** It has the settings of the record, as far as it reports. */
  readonly configured: boolean;
  /** What a primary that does not run had written when its node saw it last, in bytes of its stream. */
  readonly lastOffset?: number;
  /** A replica that has taken in all that its primary had sent: the link is down. */
  readonly drained?: true;
  /** It is called dead because its node is gone and can acknowledge nothing any more; its process may still run. */
  readonly cutOff?: true;
  /** Highest launch number that was used for it; present only when its node reports it crashed, or it is a replica and the primary of its record. */
  readonly usedLaunch?: number;
  /** It does not run and ended as it was asked to: what it keeps on disk is complete. */
  readonly endedCleanly?: boolean;
}

/** Everything a decision about one database rests on. */
export interface DatabaseFacts {
  readonly record: DatabaseRecord;
  readonly nodes: readonly NodeFacts[];
  /** By id; an instance that was not polled yet is absent. */
  readonly instances: ReadonlyMap<number, InstanceFacts>;
  /** Replicas whose content was compared with their primary's and found equal, in this epoch. */
  readonly verified: ReadonlySet<number>;
  /** Replicas whose content is being compared; absent: none. */
  readonly comparing?: ReadonlySet<number>;
  /** Shards whose step did not succeed in the passes before; absent: none. */
  readonly failed?: ReadonlySet<number>;
  /** Steps that did not succeed a moment ago, and are not begun again yet; absent: none. */
  readonly pausing?: readonly StepOfShard[];
  /** The overlap of a former password has ended. */
  readonly overlapIsOver: boolean;
  /**
   * Who may log in to the engines. `clients`: the cluster has no password yet; `shared`: a node or engine still needs the passwords of clients;
   * `closable`: none needs them; `cluster`: only the cluster may log in.
   */
  readonly engineLogin: "clients" | "shared" | "closable" | "cluster";
  /** The act that is due for the password of the cluster at its engines, and what it waits for; absent: none is due. */
  readonly rotation?: DueRotation & { readonly behind: readonly string[] };
  /** Nodes whose proxy may still let clients in; asked only of a site that awaits others while its primary does not run. */
  readonly lettingIn?: readonly number[];
  /** What is known of new shards; there while another number of shards has begun. */
  readonly reshape?: ReshapeFacts;
  /** Instances of all databases, this one included. */
  readonly everything: readonly PlacedInstance[];
}

/** What tells one step of a database from another; a step without a shard is of the database. */
export interface StepOfShard {
  readonly kind: string;
  readonly shard?: number;
}

/** An instance with what it takes of its node. */
export interface PlacedInstance {
  readonly node: number;
  readonly port: number;
  readonly memoryBytes: number;
  /** What it may take of the node's volume. */
  readonly diskBytes: number;
  readonly primary: boolean;
}

/** A replica may be this far behind, in bytes, and still count as in sync. */
export const IN_SYNC_BYTES = 65_536;

/** True when the replica holds what its primary had a moment ago and receives what it writes now. */
export function inSync(facts: InstanceFacts | undefined): boolean {
  return (
    facts?.state === "serving" &&
    facts.role === "replica" &&
    facts.streaming &&
    facts.lagBytes >= 0 &&
    facts.lagBytes <= IN_SYNC_BYTES
  );
}

/** The database has never served: it holds nothing yet that could be lost. */
export function isBeingMade({ status }: Pick<DatabaseRecord, "status">): boolean {
  return status === "pending" || status === "creation-failed";
}

/** How many instances a shard of this database shall have. */
export function desiredInstances(record: Pick<DatabaseRecord, "replication">): number {
  return record.replication ? 2 : 1;
}

/** The version that every instance shall have in the end. */
export function targetVersion(record: DatabaseRecord): StoreVersion {
  return record.upgrade?.target ?? record.storeVersion;
}

/** Engines of this database shall speak TLS, to nodes and to each other. */
export function wantsTls({ tlsMode }: Pick<DatabaseRecord, "tlsMode">): boolean {
  return tlsMode !== "disabled";
}

/** How the port of a new instance listens, as its record says it. */
export function portMode(record: Pick<DatabaseRecord, "tlsMode">): Pick<InstanceRecord, "tls"> {
  return wantsTls(record) ? { tls: true } : {};
}

/** The instance has the version and the TLS mode that every instance shall have in the end; any other instance is replaced. */
export function isAsAsked(record: DatabaseRecord, { storeVersion, tls }: InstanceRecord): boolean {
  return storeVersion === targetVersion(record) && (tls === true) === wantsTls(record);
}

/** The name of a shard in sentences; while the database has one shard, it is the name of the database. */
export function shardName({ name, shards }: Pick<DatabaseRecord, "name" | "shards">, shard: number): string {
  return shards.length > 1 ? `shard ${shard} of "${name}"` : `"${name}"`;
}

/** A sentence that is about a shard: it names the shard where the database has several. */
export function nameShardIn(record: Pick<DatabaseRecord, "name" | "shards">, shard: number, sentence: string): string {
  return record.shards.length > 1 ? `${shardName(record, shard)}: ${sentence}` : sentence;
}

export function primaryOf(shard: ShardRecord): InstanceRecord {
  const found = shard.instances.find(({ id }) => id === shard.primary);
  if (found === undefined) throw new Error(`shard ${shard.id} names primary ${shard.primary}, which it does not have`);
  return found;
}

export function replicasOf(shard: ShardRecord): readonly InstanceRecord[] {
  return shard.instances.filter(({ id }) => id !== shard.primary);
}

/** Says how often an engine has ended before it served, as the end of a sentence; empty when it has not. */
export function failuresText({ failedStarts = 0, lastWords }: InstanceFacts): string {
  if (failedStarts === 0) return "";
  return `; it has ended ${failedStarts} times before it served${lastWords === undefined ? "" : `: ${lastWords}`}`;
}

/** Why a replica is not in sync, for people. */
export function syncText(instance: InstanceRecord, facts: InstanceFacts | undefined): string {
  const who = `the ${instance.storeVersion} replica on node ${instance.node}`;
  if (facts === undefined) return `${who} has not been asked yet`;
  switch (facts.state) {
    case "dead":
      return `${who} does not run${failuresText(facts)}`;
    case "silent":
      return `${who} does not answer`;
    case "busy":
      return `${who} runs a script`;
    case "loading":
      return `${who} is loading its data${failuresText(facts)}`;
    case "serving":
      if (facts.role !== "replica") return `${who} has not been attached to the primary yet`;
      return facts.streaming && facts.lagBytes >= 0
        ? `${who} is ${facts.lagBytes} bytes behind the primary`
        : `${who} is receiving the data`;
  }
}
