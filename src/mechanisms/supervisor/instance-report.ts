import { parseInfo, replicationView } from "../../ports/resp/info.ts";
import type { InstanceState } from "./instance-states.ts";

/** What the node reports of an instance. */
export interface InstanceReport {
  readonly bdb: number;
  readonly instance: number;
  readonly state: InstanceState;
  /** 0 while no process runs. */
  readonly pid: number;
  /** Starts after a crash since the agent came up. */
  readonly restarts: number;
  /** Highest launch number this node has used for it. */
  readonly launch: number;
  /** It ended when asked to: what it keeps on disk is complete. */
  readonly clean: boolean;
  /** What it had written to its replicas when it answered last, in bytes; absent before. */
  readonly offset?: number;
  /** Its data directory is gone or another one: nothing that it kept is there. */
  readonly lost: boolean;
  /** How often in a row it has ended before it served, or could not be started. */
  readonly failed_starts: number;
  /** The last warnings of its engine when that ended, or why it could not be started; empty before. */
  readonly last_words: string;
  /** How often in a row it has ended unasked soon after it served. */
  readonly crashes: number;
  /** What ended it unasked last, for instance a signal; empty before. */
  readonly ended_by: string;
}

/** What an engine said of its replication. */
export interface ReplicationAnswer {
  /** As INFO has it. */
  readonly info: string;
  /** When that was asked, in milliseconds of uptime. */
  readonly at: number;
}

/** What a primary that has crashed had written when it answered last. */
export function writtenBy(state: InstanceState, said: ReplicationAnswer | undefined): Pick<InstanceReport, "offset"> {
  if (state !== "crashed" || said === undefined) return {};
  const view = replicationView(parseInfo(said.info));
  return view?.role === "primary" ? { offset: view.offset } : {};
}

/** What an engine said of its role; undefined before it said anything. */
export function readRole(said: ReplicationAnswer | undefined): "primary" | "replica" | undefined {
  return said === undefined ? undefined : replicationView(parseInfo(said.info))?.role;
}
