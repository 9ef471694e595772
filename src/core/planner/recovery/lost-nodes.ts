import type { DatabaseRecord } from "../../api/records.ts";
import type { RecordedDatabase } from "./recovery.ts";
import type { Remedies } from "./remedy.ts";

/** What brings a cluster back that lost most of its nodes. */
export const LOST_NODES_REMEDIES = {
  QuorumLost: ({ recorded }) => ({
    acts: [{ kind: "patch-cluster", spec: { clusterRecovery: true } }, { kind: "await-recovery" }],
    irreversible: recorded.length === 0 ? "" : recorded.map(prospectOf).join("; "),
    otherwise: "the pods of all nodes are deleted and made again over their volumes",
  }),
} satisfies Remedies;

/** What a database has after every engine was lost, when its volumes are there. */
function prospectOf({ name, persistence }: RecordedDatabase): string {
  return `"${name}" comes back ${PROSPECTS[persistence]}`;
}

const SNAPSHOT = "with its last snapshot";
const PROSPECTS: Readonly<Record<DatabaseRecord["persistence"], string>> = {
  disabled: "empty",
  aofAlways: "with every acknowledged write",
  aofEverySecond: "with all but the writes of its last second",
  snapshotEvery1Hour: SNAPSHOT,
  snapshotEvery6Hour: SNAPSHOT,
  snapshotEvery12Hour: SNAPSHOT,
};
