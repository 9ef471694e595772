import type { DatabaseRecord } from "../../api/records.ts";
import type { LicenseRecord } from "../../management/records.ts";
import { timestamp } from "../../kube/timestamp.ts";
import { wantedInstances } from "../../planner/database/facts.ts";

const TRIAL_DAYS = 30;
const TRIAL_SHARDS = 4;

/** The licence in force: a trial of 30 days from the cluster's creation, for 4 shards, bound to the cluster's name. */
export function trialLicense(
  clusterName: string,
  createdTime: string,
  databases: readonly DatabaseRecord[],
  now: Date,
): LicenseRecord {
  const expires = new Date(Date.parse(createdTime) + TRIAL_DAYS * 86_400_000);
  return {
    type: "trial",
    cluster_name: clusterName,
    owner: "",
    expired: now >= expires,
    activation_date: timestamp(new Date(createdTime)),
    expiration_date: timestamp(expires),
    shards_limit: TRIAL_SHARDS,
    shards_usage: databases.reduce((sum, record) => sum + shardsOf(record), 0),
    features: ["trial"],
  };
}

/** Primaries and replicas as they are asked for: the surge of an upgrade or a move does not count. */
export function shardsOf(record: Pick<DatabaseRecord, "replication" | "shards">): number {
  return record.shards.length * wantedInstances(record);
}
