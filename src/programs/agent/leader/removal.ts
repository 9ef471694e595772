import { clusterNames } from "../../../core/api/names.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { settled, waiting } from "../../../mechanisms/reconcile/outcome.ts";
import type { Outcome } from "../../../mechanisms/reconcile/outcome.ts";
import { askNode } from "../records/cluster-view.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { gatherNodes } from "./facts.ts";
import { remembered } from "../records/maintenance.ts";

const LOOK_AGAIN_MS = 100;

/** Removes a database once no live node runs an engine of it; a node that is down removes its data when it comes back. */
export async function removalPass(view: ClusterView, record: DatabaseRecord): Promise<Outcome> {
  const still = await nodesWithEngines(view, record);
  if (still.length > 0) return waiting(LOOK_AGAIN_MS, "Deleting", `node ${still.join(", ")} is stopping its engine`);
  const { lastAction } = record;
  if (lastAction !== undefined) {
    const done = { ...lastAction, status: "completed", progress: 100, object: `bdb:${record.uid}` } as const;
    await view.records.changeState((state) => {
      const isNoted = state.finished.some(({ uid }) => uid === done.uid);
      return isNoted ? state : { ...state, finished: remembered(state, [done]) };
    });
  }
  await view.records.removeDatabase(record.uid);
  // last: whoever still sees the record must not miss its password
  await view.passwords.remove(record.uid);
  view.log.info("database removed", {
    bdb: record.uid,
    configmap: clusterNames.databaseRecord(view.config.cluster, record.uid),
  });
  return settled;
}

async function nodesWithEngines(view: ClusterView, record: DatabaseRecord): Promise<readonly number[]> {
  const nodes = (await gatherNodes(view)).filter(({ alive }) => alive).map(({ uid }) => uid);
  const places = record.shards.flatMap(({ instances }) => instances).filter(({ node }) => nodes.includes(node));
  const words = await Promise.all(
    places.map(async ({ node, id }) => ({ node, word: await askNode(view, node, record.uid, id) })),
  );
  const busy = words.filter(({ word }) => word.kind === "silent" || word.instance !== undefined);
  return busy.map(({ node }) => node);
}
