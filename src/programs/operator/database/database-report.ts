import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Suspension } from "../../../core/planner/cluster/suspension.ts";
import type { DatabaseDecision } from "../../../core/planner/database/plan.ts";
import type { ActionRecord, BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";
import type { Unready } from "../context/cluster-context.ts";
import type { DatabaseFailure } from "./failure.ts";
import type { SetAsideCopy } from "./set-aside.ts";

/** What a pass over a database knows in the end. */
export interface DatabaseReport {
  readonly generation: number;
  readonly before: DatabaseStatus;
  readonly cluster: string;
  readonly secretName: string;
  readonly passwordFrom: DatabaseStatus["passwordFrom"];
  readonly bdb: BdbRecord | undefined;
  readonly authorityDigest: DatabaseStatus["authorityDigest"];
  /** The cluster has answered. */
  readonly isPolled: boolean;
  /** A Service with its name and its labels is there. */
  readonly hasService: boolean;
  /** Copies of the database that nodes have set aside, the newest first; absent: none is known. */
  readonly copies?: readonly SetAsideCopy[];
  /** The newest backup of it that can be restored, where it has lost its data and asks what to do; absent otherwise. */
  readonly newestBackup?: { readonly name: string; readonly at: number } | undefined;
  /** Of the whole cluster. */
  readonly shards: readonly ShardInstanceRecord[];
  readonly actions: readonly ActionRecord[];
  readonly suspension: Suspension | undefined;
  readonly decision: DatabaseDecision | undefined;
  /** Why the cluster cannot be asked; undefined when it can. */
  readonly unready: Unready | undefined;
  /** Why the last act came to nothing. */
  readonly failure: DatabaseFailure | undefined;
  /** Why its schedule of backups is not as it asks. */
  readonly ofSchedule: readonly Finding[];
}
