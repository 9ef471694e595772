import type { ClientsOutcome, ClientsRequest } from "./clients-question.ts";
import type { ScriptsOutcome, ScriptsRequest } from "./scripts-question.ts";
import type { HistogramValues } from "#kit/base/histogram";
import type { Formatted } from "../../core/api/format.ts";
import type { RecordedParameters } from "../../core/api/settings/client-parameters.ts";
import type { EndpointSettings } from "../../core/api/settings/types.ts";
import type { EndpointCertificate } from "../../core/api/endpoint-certificate.ts";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { EngineLogin } from "../../core/api/engine-login.ts";
import type { SlotRange } from "../../core/base/slot-range.ts";

/**
 * Where an engine or an endpoint listens. This file holds what an agent sends to its proxy over the IPC channel of the child
 * process, and what the proxy replies: a reply carries the `id` of its command. The proxy ends when the channel closes,
 * because without its agent it would miss a switchover.
 */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where an engine listens, and how. */
export interface EnginePlace extends Address {
  /** The port speaks TLS alone; never sent to a node before 0.4.0. Absent: it does not. */
  readonly tls?: true;
}

/** Where the replicas are that must have what a reply acknowledges. */
export interface SyncReplicas {
  /** What happens to replies while no replica is in sync. */
  readonly withoutReplica: "wait" | "degrade";
  /** Epoch of the primary whose replies are meant. */
  readonly epoch: number;
  /** The set of that epoch, and its version; absent while it is not known: no reply is passed on then. */
  readonly set?: {
    readonly version: number;
    readonly members: readonly Address[];
    readonly joining: readonly Address[];
  };
}

/** The parameters of engines as the record of the database has them. */
export interface EndpointParameters extends RecordedParameters {
  /** Name of the database. */
  readonly database: string;
}

/** Where the clients of one shard of an endpoint are served. */
export interface EndpointShard {
  /** That of the record. */
  readonly id: number;
  /** The epoch of the shard whose primary this is. A lower epoch than one already seen is refused. */
  readonly epoch: number;
  /** Absent while no primary is known: clients are held, up to `holdMs`, then answered with -LOADING. */
  readonly primary?: EnginePlace;
  /** What replies wait for; absent from databases with asynchronous replication. */
  readonly sync?: SyncReplicas;
  /** The slots whose keys it has. Absent: all of them, as the only shard; never sent to a node before 0.6.0. */
  readonly slots?: readonly SlotRange[];
}

/** One database endpoint that the proxy serves. */
export interface EndpointConfig {
  readonly bdb: number;
  /** uid of the node; it tells the numbers of its clients from those at every other node. */
  readonly node: number;
  readonly listen: Address;
  /** The database's Service, by name: it leads to a node that accepts clients. */
  readonly service: Address;
  /** What clients authenticate with; empty when the database has none. Never logged. */
  readonly password: string;
  /** Accepted besides, those with `until` before that ISO instant; an empty one stands for none. Never logged. */
  readonly furtherPasswords: readonly { readonly password: string; readonly until?: string }[];
  /** Rises with each change of the two. */
  readonly passwordsRevision: number;
  /** How the proxy logs in to engines, tried in this order. Never logged. */
  readonly logins: readonly EngineLogin[];
  /** Grows with each change of the password of the cluster among them. */
  readonly loginStep: number;
  /** Present at a site of an Active-Active database: how requests of clients log in. They write what links carry, and nothing else. */
  readonly site?: {
    readonly logins: readonly EngineLogin[];
    /** How many slices the database has, each of which is merged on its own. Absent: one, all of its keys. */
    readonly slices?: number;
    /** What the other sites hold is not here yet: clients get an error at once, and no request of theirs gets to an engine. */
    readonly awaitsSites?: true;
  };
  /** In the order of the record. Each slot is of exactly one of them. */
  readonly shards: readonly EndpointShard[];
  /** Grows each time that a slot goes from one shard to another, beside the epochs of the shards. Absent: 0, none ever has. */
  readonly tableEpoch?: number;
  /** How long clients may be held in any switchover or failover, in milliseconds. */
  readonly holdMs: number;
  /** How long a script may run until other clients get the answer BUSY, in milliseconds; 0 for as long as it likes. */
  readonly scriptLimitMs: number;
  readonly parameters: EndpointParameters;
  /** The certificate for clients; absent while the database has none: an endpoint that speaks TLS accepts no clients then. Never logged. */
  readonly certificate?: EndpointCertificate;
  /** Where the nodes that take clients listen, this one among them; absent where clients see no cluster. */
  readonly nodes?: readonly { readonly node: number; readonly host: string }[];
  /** The port for clients of a cluster, the same at each node, which the map of the cluster names; absent: it names that of all clients. */
  readonly clusterPort?: number;
  /** Settings of the database that its endpoints apply; they change while clients are connected. */
  readonly settings: EndpointSettings;
}

/** Which shard of an endpoint a command is about. */
export interface ShardName {
  readonly bdb: number;
  /** The id of the shard. Absent: the first shard, which is the only one that nodes before 0.5.0 know; never sent to one of them. */
  readonly shard?: number;
}

/** Which table of slots a command is about; never sent to a node that does not report `reshape`. */
export interface TableName {
  readonly bdb: number;
  /** One that is lower than that of the table that is served is refused. */
  readonly tableEpoch: number;
}

export type ProxyCommand =
  /** Pass on replies of engines until then, and no longer; a proxy without this command passes on none. */
  | { readonly op: "lease"; readonly untilMs: number }
  /** The whole set of endpoints; those not named are closed. Idempotent. */
  | {
      readonly op: "configure";
      readonly endpoints: readonly EndpointConfig[];
      /** What the proxy shows to engines; absent while the node has none. Never logged. */
      readonly engineCertificate?: EngineCertificate;
    }
  /** Dial, authenticate and warm a pool to the primary-to-be; no client effect. `epoch` is the one that will begin. */
  | ({ readonly op: "prepare"; readonly epoch: number; readonly target: EnginePlace } & ShardName)
  /** Answers as soon as no request has been at an engine for long, after `withinMs` at the latest; no client effect. */
  | ({ readonly op: "quiet"; readonly withinMs: number } & ShardName)
  /** Stop reading clients and let what is in flight finish within `drainMs`; resume `holdMs` after the start. */
  | ({ readonly op: "hold"; readonly epoch: number; readonly drainMs: number; readonly holdMs: number } & ShardName)
  /** The primary is cut off: leave it at once, cutting what is in flight there, and hold clients until the release. */
  | ({ readonly op: "fence"; readonly epoch: number } & ShardName)
  /** Send requests to `target` from now on. Valid without a hold before it. */
  | ({
      readonly op: "release";
      readonly epoch: number;
      readonly target: EnginePlace;
      /** What replies of the target wait for. */
      readonly sync?: SyncReplicas;
    } & ShardName)
  /** Answers once replies wait for the replicas of this version of the set, or a later one; PROXY_SET_NOT_KNOWN after `withinMs`. */
  | ({
      readonly op: "confirm";
      readonly epoch: number;
      readonly version: number;
      readonly withinMs: number;
    } & ShardName)
  /** Answers when the endpoint logs in to engines with what this step says, or a later one; PROXY_LOGIN_NOT_KNOWN otherwise. */
  | { readonly op: "logins"; readonly bdb: number; readonly step: number }
  /** Answers once clients are let in by this revision of the passwords, or a later one; PROXY_PASSWORDS_NOT_KNOWN after `withinMs`. */
  | { readonly op: "passwords"; readonly bdb: number; readonly revision: number; readonly withinMs: number }
  /** Answers once the endpoint keeps clients from the engine; PROXY_LETS_CLIENTS_IN after `withinMs`. */
  | { readonly op: "closed"; readonly bdb: number; readonly withinMs: number }
  /** Dial, authenticate and warm pools to the primaries-to-be of other shards; no client effect. `tableEpoch` is the one that will begin. */
  | ({ readonly op: "prepare-table"; readonly shards: readonly EndpointShard[] } & TableName)
  /** As `hold`, for all shards at once. */
  | ({ readonly op: "hold-table"; readonly drainMs: number; readonly holdMs: number } & TableName)
  /**
   * Send requests to these shards from now on, by their slots. Valid without a hold before it. With the shards that are served and a higher epoch,
   * clients go on there.
   */
  | ({ readonly op: "release-table"; readonly shards: readonly EndpointShard[] } & TableName)
  /** Drop the holds and what was prepared: go on with the shards that are served. */
  | ({ readonly op: "abort-table" } & TableName)
  /** Drop the hold and the prepared pool: go on with the old primary. */
  | ({ readonly op: "abort"; readonly epoch: number } & ShardName)
  /** The node is evacuated: close each client connection at a request boundary (half-close, read on), within `deadlineMs`. */
  | { readonly op: "drain"; readonly deadlineMs: number }
  /** Accept clients again after a drain. */
  | { readonly op: "undrain" }
  /** Carry out, at the clients of this proxy, what a client asks of all clients of its database; never sent to a node before 0.4.0. */
  | ({ readonly op: "clients" } & ClientsRequest)
  /** What another proxy of the database knows of the scripts of clients; never sent to a node before 0.5.0. */
  | ({ readonly op: "scripts" } & ScriptsRequest)
  | { readonly op: "stats" };

/** A request of a client that an engine has not answered. */
export interface OutstandingRequest {
  /** Address and port of the client. */
  readonly client: string;
  readonly command: string;
  readonly ageMs: number;
}

/** What an endpoint has counted since it was opened, for metrics; times in seconds, by the bounds of core/api/metrics/bounds.ts. */
export interface EndpointCounts {
  /** From clients, and to them. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Replies to clients that are errors. */
  readonly errors: number;
  /** Connections to engines that clients have for themselves now. */
  readonly pins: number;
  /** Changes of primary for which clients were held, and others. */
  readonly switchovers: number;
  readonly failovers: number;
  /** From when a request was sent to the engine until its reply. */
  readonly answered: HistogramValues;
  /** Answered requests that had to wait for a primary, from when they arrived. */
  readonly answeredLate: HistogramValues;
  /** How long clients were held for changes of primary, and how long no primary could be reached otherwise. */
  readonly holds: HistogramValues;
  readonly outages: HistogramValues;
  /** Requests and transactions whose keys lie in several slots, by command; nodes of releases before 0.5.0 do not say it. */
  readonly crossings?: Readonly<Record<string, number>>;
  /** Requests of clients of a cluster: those that were to be sent to another node, and those for an engine at another node; nodes of releases before 0.6.0 do not say it. */
  readonly moved?: number;
  readonly forwarded?: number;
}

/** Numbers of one endpoint since it was opened. */
export interface EndpointStats {
  readonly bdb: number;
  readonly epoch: number;
  readonly listening: boolean;
  readonly held: boolean;
  readonly clients: number;
  readonly inFlight: number;
  readonly requests: number;
  /** Connections cut because the outcome of a request was unknown or a limit was passed. */
  readonly cut: number;
  /** Holds that ended by their own deadline. */
  readonly holdsExpired: number;
  /** Requests answered -READONLY by a demoted primary and sent again to the new one. */
  readonly resent: number;
  /** The oldest request at an engine that is older than 200 ms; nodes of releases before 0.4.0 do not say it. */
  readonly oldest?: OutstandingRequest;
  /** Nodes of releases before 0.4.0 do not say it. */
  readonly counted?: EndpointCounts;
}

export type ProxyReply =
  | { readonly ok: true; readonly op: "configure"; readonly refused: readonly number[] }
  | {
      readonly ok: true;
      readonly op:
        | "lease"
        | "prepare"
        | "confirm"
        | "logins"
        | "passwords"
        | "closed"
        | "fence"
        | "abort"
        | "undrain"
        | "prepare-table"
        | "abort-table";
    }
  /** `waitsFor`: requests that are at an engine for long; empty when it is quiet. */
  | { readonly ok: true; readonly op: "quiet"; readonly waitsFor: readonly OutstandingRequest[] }
  | { readonly ok: true; readonly op: "hold" | "hold-table"; readonly drainMs: number }
  | { readonly ok: true; readonly op: "release" | "release-table"; readonly heldMs: number }
  | { readonly ok: true; readonly op: "drain"; readonly closed: number; readonly remaining: number }
  | ({ readonly ok: true; readonly op: "clients" } & ClientsOutcome)
  | ({ readonly ok: true; readonly op: "scripts" } & ScriptsOutcome)
  | { readonly ok: true; readonly op: "stats"; readonly endpoints: readonly EndpointStats[] }
  /** `code` is one of the faults of the proxy room, for instance PROXY_EPOCH_TOO_LOW or PROXY_NOT_DRAINED. */
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface ProxyRequestMessage {
  readonly id: number;
  readonly command: ProxyCommand;
}

export interface ProxyReplyMessage {
  readonly id: number;
  readonly reply: ProxyReply;
}

/** The first message of a proxy: it accepts commands of this format from now on. */
export interface ProxyReadyMessage extends Formatted {
  readonly ready: true;
}
