import { getNodePods, restoreRecord } from "../../api/kubectl.ts";
import { clusterNames } from "../../api/names.ts";
import { block, type FindingOf } from "../findings/finding.ts";
import type { MissingRecord } from "./missing-record.ts";

/** The finding for databases of a cluster whose records have vanished; its remedy puts the first of them back that is certain. */
export function missingRecordFinding(
  cluster: string,
  [first, ...others]: readonly [MissingRecord, ...(readonly MissingRecord[])],
): FindingOf<"RecordMissing"> {
  const all = [first, ...others];
  const certain = all.find(({ doubt }) => doubt === undefined);
  const byHand = `bring the nodes back that keep it (${getNodePods()}), or put the ConfigMap ${clusterNames.databaseRecord(cluster, first.bdb)} back from a copy of your own`;
  return block(
    "RecordMissing",
    all.map((one) => evidenceOf(cluster, one)).join("; "),
    certain === undefined ? byHand : restoreRecord(cluster, certain.bdb),
  );
}

function evidenceOf(cluster: string, { bdb, name, since, nodes, doubt }: MissingRecord): string {
  const what = `the record of "${name}" (database ${bdb}), ConfigMap ${clusterNames.databaseRecord(cluster, bdb)}, has been missing since ${since}, and its data is set aside`;
  const known = doubt ?? `node ${nodes.join(" and node ")} keep its last state`;
  return `${what}; ${known}`;
}
