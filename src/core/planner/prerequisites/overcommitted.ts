import { needText, roomText } from "#kit/base/sizes";
import { placeholder } from "#kit/base/shell-word";
import { patchCluster } from "../../api/kubectl.ts";
import { warn } from "../findings/finding.ts";
import { databasesOn } from "../view/cluster-view.ts";
import type { ClusterNode, ClusterView } from "../view/cluster-view.ts";
import { defineCheck, quotedNames } from "./check.ts";

/** Older releases counted the memory of the machine: databases keep what these releases gave them, and get no more. */
export const memorySuffices = defineCheck({
  id: "Overcommitted",
  asks: "every node has the memory that its databases may need",
  at: ["edit"],
  needs: ["cluster"],
  find({ view }) {
    if (!view.cluster.reachable) return undefined;
    const over = view.cluster.nodes.flatMap((node) => overcommitTexts(view, node));
    if (over.length === 0) return undefined;
    const more = patchCluster(view.name, {
      storeEnterpriseNodeResources: { limits: { memory: placeholder("<larger>") } },
    });
    return warn(
      "Overcommitted",
      over.join("; "),
      `give nodes more memory: ${more}; or lower spec.memorySize of databases, or raise spec.nodes for new ones`,
    );
  },
});

function overcommitTexts(view: ClusterView, { uid, memory }: ClusterNode): readonly string[] {
  if (memory === undefined || memory.needed <= memory.limit - memory.reserve) return [];
  const { limit, reserve, needed } = memory;
  const has = `its container has ${roomText(limit - reserve)} for them (${roomText(limit)} less ${needText(reserve)} of its own)`;
  const here = quotedNames(databasesOn(view, uid, () => true));
  return [`node ${uid}: ${here} may need ${needText(needed)}, and ${has}; no database is made or grows there`];
}
