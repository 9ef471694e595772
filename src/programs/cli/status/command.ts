import { Command } from "commander";
import { EXIT, type Asking } from "../console/context.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { lookAtCluster } from "../access/look.ts";
import { standingsIn } from "../backup/standing.ts";
import { statusReport, statusTable } from "./report.ts";

/** `storectl status`: operator, cluster, nodes and databases on one page. */
export function statusCommand(context: Asking): Command {
  const command = new Command("status")
    .description("show operator, cluster, nodes and databases on one page")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .addOption(outputOption())
    .action(async (cluster: string | undefined, options: NamespaceOptions & OutputOption) => {
      const report = await withAccess(options, context, async (access) => {
        const look = await lookAtCluster(access, cluster);
        return statusReport(look, await standingsIn(access, access.around, look.databases));
      });
      context.print(renderAnswer(options.output, report, (columns) => statusTable(report, columns), context));
      context.end(report.healthy ? (report.notRead === null ? EXIT.ok : EXIT.unknown) : EXIT.found);
    });
  return withNamespaceOptions(command);
}
