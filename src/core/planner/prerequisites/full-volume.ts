import { needText, roomText } from "#kit/base/sizes";
import { placeholder } from "#kit/base/shell-word";
import { patchCluster } from "../../api/kubectl.ts";
import { warn } from "../findings/finding.ts";
import type { ClusterDatabase, FullVolume } from "../view/cluster-view.ts";
import { defineCheck } from "./check.ts";

/** A volume that fills up harms the database that fills it, and no other. */
export const volumesHaveRoom = defineCheck({
  id: "VolumeFull",
  asks: "every volume has room",
  at: ["edit"],
  needs: ["cluster"],
  find({ view: { name, cluster, spec } }) {
    if (!cluster.reachable) return undefined;
    const full = cluster.nodes.flatMap(({ uid, fullVolume }) =>
      fullVolume === undefined ? [] : [fullVolumeText(uid, fullVolume, cluster.databases)],
    );
    if (full.length === 0) return undefined;
    const grow = patchCluster(name, { persistentSpec: { volumeSize: placeholder("<larger>") } });
    return warn(
      "VolumeFull",
      full.join("; "),
      `delete data of these databases, remove what is set aside (the finding DataSetAside has the line), or give nodes more than ${spec.persistentSpec.volumeSize}: ${grow}`,
    );
  },
});

function fullVolumeText(
  node: number,
  { total, free, databases }: FullVolume,
  known: readonly ClusterDatabase[],
): string {
  const named = databases.map(({ bdb, bytes }) => {
    const name = known.find(({ uid }) => uid === bdb)?.name;
    return `${name === undefined ? `database ${bdb}` : `"${name}"`}, which takes ${needText(bytes)} there`;
  });
  const room = `the volume of node ${node} has ${roomText(free)} of ${roomText(total)} free`;
  return `${room}; until there is more, writes are refused of ${named.join(", and of ")}`;
}
