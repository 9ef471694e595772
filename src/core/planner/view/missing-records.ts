import { missingRecords, type MissingRecord } from "../node/missing-record.ts";
import { nodesOf, type ClusterView } from "./cluster-view.ts";

/** The databases of a cluster whose records have vanished while nodes keep them; none while it does not answer. */
export function missingRecordsOf(view: Pick<ClusterView, "cluster" | "spec" | "workload">): readonly MissingRecord[] {
  const { cluster } = view;
  if (!cluster.reachable) return [];
  return missingRecords(
    cluster.nodes.map(({ uid, setAside, keptRecords = [] }) => ({
      uid,
      setAside: setAside.map(({ database }) => database),
      kept: keptRecords,
    })),
    nodesOf(view),
  );
}
