import { engineText } from "../../releases/engines/engines.ts";
import type { EngineIdentity } from "../../releases/engines/engines.ts";
import { mayFollow } from "../../releases/engines/succession.ts";
import { IN_SYNC_BYTES } from "./facts.ts";

/** Where an engine can be reached. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** An engine as it shows itself at one moment. */
export interface EngineView extends HostPort {
  readonly engine: EngineIdentity;
  readonly role: "primary" | "replica";
  /** Bytes of the replication stream written (primary) or applied (replica). */
  readonly offset: number;
  /** The replicas that it feeds. */
  readonly replicas: readonly (HostPort & { readonly state: string; readonly lagSeconds: number })[];
  /** Its own link, when it is a replica. */
  readonly link?: HostPort & { readonly status: "up" | "down"; readonly receivedBytes: number };
  /** Bytes; 0 is without limit. */
  readonly maxMemory: number;
  /** Bytes that count against it. */
  readonly countedMemory: number;
  /** Bytes of these that the backlog of its replication takes. */
  readonly backlogMemory: number;
  /** At its limit it evicts keys instead of refusing writes. */
  readonly evicts: boolean;
  /** Milliseconds that its clock is ahead of a clock that is the same for all engines of one view, and how far off that may be. */
  readonly clock: { readonly aheadMs: number; readonly uncertainMs: number };
  /** Names of modules that were loaded; those compiled into the engine are left out. */
  readonly modules: readonly string[];
}

/** What a switchover is judged by, read from the primary first and from the target after it. */
export interface SwitchoverView {
  readonly primary: EngineView;
  readonly target: EngineView;
  /** A return to the engine that served before, whose stream still flows: its age is no objection. */
  readonly rollback: boolean;
}

/** A replica that has not acknowledged for longer than this is not streaming. */
const MAX_LAG_SECONDS = 1;

type Gate = (view: SwitchoverView) => string | undefined;

/** Why the target must not take over now, as a sentence; undefined when nothing speaks against it. */
export function switchoverGates(view: SwitchoverView): string | undefined {
  for (const gate of GATES) {
    const objection = gate(view);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

const primaryIsPrimary: Gate = ({ primary }) =>
  primary.role === "primary" ? undefined : `${at(primary)} is not a primary but a ${primary.role}`;

const targetIsLinked: Gate = ({ primary, target }) => {
  if (target.link === undefined) return `${at(target)} is not a replica but a ${target.role}`;
  if (!isAt(target.link, primary)) return `${at(target)} follows ${at(target.link)}, not ${at(primary)}`;
  if (target.link.status !== "up") return `the link of ${at(target)} to ${at(primary)} is down`;
  return target.link.receivedBytes > 0
    ? undefined
    : `${at(target)} has received nothing from ${at(primary)} since it has its data`;
};

/** The replica's own word is not enough: it says "up" before the primary has it in its list. */
const primaryStreams: Gate = ({ primary, target }) => {
  const seen = primary.replicas.find((replica) => isAt(replica, target));
  if (seen === undefined) return `${at(primary)} does not list ${at(target)} among its replicas`;
  if (seen.state !== "online") return `${at(primary)} has ${at(target)} in state ${seen.state}, not online`;
  return seen.lagSeconds <= MAX_LAG_SECONDS
    ? undefined
    : `${at(target)} acknowledged ${seen.lagSeconds} s ago, allowed is ${MAX_LAG_SECONDS} s`;
};

const targetHasCaughtUp: Gate = ({ primary, target }) => {
  const gap = primary.offset - target.offset;
  return gap < IN_SYNC_BYTES
    ? undefined
    : `${at(target)} is ${gap} bytes behind ${at(primary)}, allowed is less than ${IN_SYNC_BYTES}`;
};

const engineMayFollow: Gate = ({ primary, target, rollback }) => {
  const { allowed, reason } = mayFollow(primary.engine, target.engine);
  if (allowed || rollback) return undefined;
  return `${engineText(target.engine)} may not take over from ${engineText(primary.engine)}: ${reason}`;
};

const memoryIsEqual: Gate = ({ primary, target }) =>
  primary.maxMemory === target.maxMemory
    ? undefined
    : `maxmemory is ${target.maxMemory} on ${at(target)} and ${primary.maxMemory} on ${at(primary)}`;

const modulesAreThere: Gate = ({ primary, target }) => {
  const missing = primary.modules.filter((name) => !target.modules.includes(name));
  return missing.length === 0 ? undefined : `${at(target)} lacks the modules ${missing.join(", ")}`;
};

/** What stays is said before what passes: a replica of an engine that it cannot follow is not told that its link is down. */
const GATES: readonly Gate[] = [
  primaryIsPrimary,
  engineMayFollow,
  modulesAreThere,
  memoryIsEqual,
  targetIsLinked,
  primaryStreams,
  targetHasCaughtUp,
];

function isAt(one: HostPort, other: HostPort): boolean {
  return one.host === other.host && one.port === other.port;
}

function at({ host, port }: HostPort): string {
  return `${host}:${port}`;
}
