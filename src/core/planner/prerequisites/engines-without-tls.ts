import { placeholder } from "#kit/base/shell-word";
import { patchCluster } from "../../api/kubectl.ts";
import { warn } from "../findings/finding.ts";
import type { ClusterDatabase, ClusterNode } from "../view/cluster-view.ts";
import { defineCheck, quotedNames } from "./check.ts";

/** What is made for TLS runs nowhere else: the next image decides, so that nothing here keeps nodes from being replaced. */
export const enginesSpeakTls = defineCheck({
  id: "EngineWithoutTls",
  asks: "every engine of databases with TLS speaks it",
  at: ["edit"],
  needs: ["cluster"],
  find({ view: { name, cluster } }) {
    if (!cluster.reachable) return undefined;
    const { nodes, databases } = cluster;
    const withTls = databases.filter(({ tlsMode }) => tlsMode !== "disabled");
    const lacking = nodes.flatMap((node) => lackOf(node, withTls));
    if (lacking.length === 0) return undefined;
    const image = patchCluster(name, { storeEnterpriseImageSpec: { digestHash: placeholder("sha256:<digest>") } });
    return warn(
      "EngineWithoutTls",
      `${lacking.join("; ")}: they get no copy there, and one that is there does not run`,
      `use an image whose engines are built with TLS: ${image}; the log of the node says what its engines answered`,
    );
  },
});

/** Nodes of releases before 0.4.0 do not say it, and no database has TLS while one is a member. */
function lackOf({ uid, engines }: ClusterNode, databases: readonly ClusterDatabase[]): readonly string[] {
  return engines.flatMap(({ storeVersion, tls }) => {
    const hit = tls === false ? databases.filter((database) => database.storeVersion === storeVersion) : [];
    return hit.length === 0
      ? []
      : [`the ${storeVersion} engine of node ${uid} speaks no TLS, which ${quotedNames(hit)} asks for`];
  });
}
