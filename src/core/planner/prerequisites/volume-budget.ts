import { needText, roomText } from "#kit/base/sizes";
import { placeholder } from "#kit/base/shell-word";
import { patchCluster } from "../../api/kubectl.ts";
import { warn } from "../findings/finding.ts";
import type { ClusterDatabase, ClusterNode } from "../view/cluster-view.ts";
import { defineCheck } from "./check.ts";

/** What a database may take of a volume is known beforehand: more than that, or less room, is worth a look. */
export const volumesSuffice = defineCheck({
  id: "VolumeBudget",
  asks: "every volume has the room that its databases may need, and none takes more",
  at: ["edit"],
  needs: ["cluster"],
  find({ view: { name, cluster, spec } }) {
    if (!cluster.reachable) return undefined;
    const seen = cluster.nodes.flatMap((node) => [...tooSmall(node), ...tooMuch(node, cluster.databases)]);
    if (seen.length === 0) return undefined;
    const grow = patchCluster(name, { persistentSpec: { volumeSize: placeholder("<larger>") } });
    return warn(
      "VolumeBudget",
      seen.join("; "),
      `look whether rewrites fail (the log of the engine says so), lower spec.memorySize or spec.persistence, or give nodes more than ${spec.persistentSpec.volumeSize}: ${grow}`,
    );
  },
});

function tooSmall({ uid, volume }: ClusterNode): readonly string[] {
  if (volume === undefined || volume.needed <= volume.room) return [];
  return [
    `the databases of node ${uid} may take ${needText(volume.needed)} of its volume, which has ${roomText(volume.room)} for them`,
  ];
}

function tooMuch({ uid, volume }: ClusterNode, databases: readonly ClusterDatabase[]): readonly string[] {
  return (volume?.over ?? []).map(({ bdb, bytes, budget }) => {
    const name = databases.find((database) => database.uid === bdb)?.name;
    const who = name === undefined ? `database ${bdb}` : `"${name}"`;
    return `${who} takes ${needText(bytes)} of the volume of node ${uid} and may take ${roomText(budget)}`;
  });
}
