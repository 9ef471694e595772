import { callApi } from "../../api/kubectl.ts";
import { needText } from "#kit/base/sizes";
import { warn } from "../findings/finding.ts";
import type { ClusterNode, SetAside } from "../view/cluster-view.ts";
import type { Check } from "./check.ts";

type OnNode = SetAside & { readonly node: number };

/** Data that was in use and that no record names: its record has vanished, or is an older one. */
export const noDataIsSetAside: Check = {
  id: "DataSetAside",
  asks: "records ask for all data on the volumes",
  at: ["edit"],
  needs: ["cluster"],
  find({ view: { name, cluster, spec } }) {
    const all = cluster.reachable ? cluster.nodes.flatMap(onNode) : [];
    const [first] = all.toSorted((one, other) => (one.since < other.since ? -1 : 1));
    if (first === undefined) return undefined;
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
    const databases = [...Map.groupBy(all, ({ database }) => database).values()].map(copiesText).join("; ");
    const days = spec.setAsideRetentionDays;
    return warn(
      "DataSetAside",
      `no record asks for ${needText(bytes)} of data, the first since ${first.since}: ${databases}; nodes remove it after ${days} days`,
      `put the ConfigMap ${name}-db-${first.database} back as it was, and the data is used again (the finding of a database in recovery has the line that uses it); ` +
        `or remove it now: ${callApi(name, "DELETE", `/v1/nodes/${first.node}/set_aside/${first.id}`)}`,
    );
  },
};

function onNode({ uid, setAside }: ClusterNode): readonly OnNode[] {
  return setAside.map((one) => ({ ...one, node: uid }));
}

function copiesText(copies: readonly OnNode[]): string {
  const [{ database, name } = { database: 0, name: "" }] = copies;
  const nodes = [...new Set(copies.map(({ node }) => node))].toSorted((one, other) => one - other);
  const who = name === "" ? `database ${database}` : `"${name}" (database ${database})`;
  return `${who} on node ${nodes.join(" and node ")}`;
}
