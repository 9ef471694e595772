import { callApi, restoreRecord } from "../../api/kubectl.ts";
import { clusterNames } from "../../api/names.ts";
import { needText } from "#kit/base/sizes";
import { warn } from "../findings/finding.ts";
import type { ClusterNode, ClusterView, SetAside } from "../view/cluster-view.ts";
import { missingRecordFinding } from "../node/missing-record-finding.ts";
import { missingRecordsOf } from "../view/missing-records.ts";
import { defineCheck } from "./check.ts";

type OnNode = SetAside & { readonly node: number };

/** Data that was in use and that no record names: its record has vanished, or is an older one. */
export const noDataIsSetAside = defineCheck({
  id: "DataSetAside",
  asks: "records ask for all data on the volumes",
  at: ["edit"],
  needs: ["cluster"],
  find({ view }) {
    const { name, cluster, spec } = view;
    const all = cluster.reachable ? cluster.nodes.flatMap(onNode) : [];
    const [first] = all.toSorted((one, other) => (one.since < other.since ? -1 : 1));
    if (first === undefined) return undefined;
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
    const databases = [...Map.groupBy(all, ({ database }) => database).values()].map(copiesText).join("; ");
    const days = spec.setAsideRetentionDays;
    return warn(
      "DataSetAside",
      `no record asks for ${needText(bytes)} of data, the first since ${first.since}: ${databases}; nodes remove it after ${days} days`,
      `${backOf(view, first.database)}; ` +
        `or remove it now: ${callApi(name, "DELETE", `/v1/nodes/${first.node}/set_aside/${first.id}`)}`,
    );
  },
});

/** How the record comes back that asks for the data. */
function backOf(view: ClusterView, bdb: number): string {
  const { name: cluster } = view;
  const isKept = missingRecordsOf(view).some((one) => one.bdb === bdb && one.doubt === undefined);
  if (isKept) return `put the record of the database back, and the data is used again: ${restoreRecord(cluster, bdb)}`;
  return `put the ConfigMap ${clusterNames.databaseRecord(cluster, bdb)} back as it was, and the data is used again (the finding of a database in recovery has the line that uses it)`;
}

/** Nodes keep the record that would ask for data that was in use. */
export const noRecordIsMissing = defineCheck({
  id: "RecordMissing",
  asks: "no record of a database has vanished",
  at: ["plan"],
  needs: ["cluster"],
  find({ view }) {
    const [first, ...others] = missingRecordsOf(view);
    return first && missingRecordFinding(view.name, [first, ...others]);
  },
});

function onNode({ uid, setAside }: ClusterNode): readonly OnNode[] {
  return setAside.map((one) => ({ ...one, node: uid }));
}

function copiesText(copies: readonly OnNode[]): string {
  const [{ database, name } = { database: 0, name: "" }] = copies;
  const nodes = [...new Set(copies.map(({ node }) => node))].toSorted((one, other) => one - other);
  const who = name === "" ? `database ${database}` : `"${name}" (database ${database})`;
  return `${who} on node ${nodes.join(" and node ")}`;
}
