import { Command } from "commander";
import type { ClusterStatus } from "../../../core/api/cluster-status.ts";
import { clusterNames } from "../../../core/api/names.ts";
import type { NodeRecord } from "../../../ports/management/records.ts";
import { EXIT, type Asking } from "../console/context.ts";
import { reachCluster, unaskedText } from "../access/management.ts";
import { outputOption, renderAnswer, textTable, type OutputOption } from "../console/output.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { bytesText, durationText } from "../console/units.ts";

/** `storectl nodes`: the nodes as the cluster itself reports them. */
export function nodesCommand(context: Asking): Command {
  const command = new Command("nodes")
    .description("list the nodes of a cluster, as the cluster reports them")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .addOption(outputOption())
    .action(async (cluster: string | undefined, options: NamespaceOptions & OutputOption) => {
      await withAccess(options, context, async (access) => {
        const asked = await reachCluster(access, cluster);
        if ("lack" in asked) {
          const known = (asked.rec.status?.nodes ?? []).map((node) => ({ ...node, status: "unknown" }));
          context.print(
            renderAnswer(
              options.output,
              known,
              (columns) => `${rememberedTable(known, columns)}${unaskedText(asked.lack, columns)}`,
              context,
            ),
          );
          return context.end(EXIT.unknown);
        }
        const nodes = await asked.client.call("nodes");
        context.print(
          renderAnswer(options.output, nodes, (columns) => nodesTable(asked.name, nodes, columns), context),
        );
        return context.end(nodes.every(isServing) ? EXIT.ok : EXIT.found);
      });
    });
  return withNamespaceOptions(command);
}

type Remembered = NonNullable<ClusterStatus["nodes"]>[number] & { readonly status: string };

function rememberedTable(nodes: readonly Remembered[], columns: number): string {
  return textTable(
    ["NODE", "POD", "STATUS", "ROLE", "VERSION"],
    nodes.map(({ uid, pod, status, role, version }) => [String(uid), pod, status, role, version]),
    columns,
  );
}

function isServing({ status, maintenance }: NodeRecord): boolean {
  return status === "active" && !maintenance;
}

const HEADING = ["NODE", "POD", "ADDRESS", "STATUS", "ROLE", "VERSION", "ACCEPTS CLIENTS", "ENGINES", "MEMORY", "UP"];

function nodesTable(cluster: string, nodes: readonly NodeRecord[], columns: number): string {
  return textTable(
    HEADING,
    nodes.map((node) => [
      String(node.uid),
      clusterNames.nodePod(cluster, node.uid),
      node.addr,
      node.maintenance ? "maintenance" : node.status,
      node.role,
      node.software_version,
      node.accepts_clients ? "yes" : "no",
      String(node.shard_count),
      bytesText(node.total_memory),
      durationText(node.uptime),
    ]),
    columns,
  );
}
