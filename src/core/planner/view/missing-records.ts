import { missingRecords, type MissingRecord } from "../node/missing-record.ts";
import type { ClusterView } from "./cluster-view.ts";

/** The databases of a cluster whose records have vanished while nodes keep them; none while it does not answer. */
export function missingRecordsOf(cluster: ClusterView["cluster"]): readonly MissingRecord[] {
  if (!cluster.reachable) return [];
  return missingRecords(
    cluster.nodes.map(({ uid, setAside, keptRecords = [] }) => ({
      uid,
      setAside: setAside.map(({ database }) => database),
      kept: keptRecords,
    })),
  );
}
