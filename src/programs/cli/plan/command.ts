import { Command } from "commander";
import { STORE_VERSIONS } from "../../../core/api/records.ts";
import { planUpgradePath } from "../../../core/planner/upgrade-path/plan.ts";
import type { Goal } from "../../../core/planner/upgrade-path/state.ts";
import { EXIT, type Asking, type ExitCode } from "../console/context.ts";
import { lookAtCluster, type Look } from "../access/look.ts";
import { namedRelease } from "../access/named-release.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { minor, storeVersion } from "./arguments.ts";
import { pathFactsOf } from "./facts.ts";
import { planReport, planTable, type PlanReport } from "./report.ts";

interface PlanOptions extends NamespaceOptions, OutputOption {
  readonly to: string;
  readonly kubernetes?: string;
  readonly databases?: string;
}

/** `storectl plan`: the shortest safe way to a release, step by step; nothing is touched. */
export function planCommand(context: Asking): Command {
  const command = new Command("plan")
    .description("plan the shortest safe way to a release; nothing is touched")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .requiredOption("--to <release>", "operator version to arrive at")
    .option("--kubernetes <minor>", "bring Kubernetes to this minor too, for instance 1.34", minor)
    .option("--databases <version>", `bring databases to this version too: ${STORE_VERSIONS.join(", ")}`, storeVersion)
    .addOption(outputOption())
    .action(async (cluster: string | undefined, options: PlanOptions) => {
      const goal = goalOf(options);
      const look = await withAccess(options, context, (access) => lookAtCluster(access, cluster));
      const report = reportOf(look, goal);
      context.print(renderAnswer(options.output, report, (columns) => planTable(report, columns), context));
      context.end(exitOf(report));
    });
  return withNamespaceOptions(command);
}

/** Without the version of the operator there is no place to plan from: then no way is known, which is not the same as none. */
function reportOf(look: Look, goal: Goal): PlanReport {
  const facts = pathFactsOf(look);
  const { cluster } = look.observation.view;
  const { lack, lackAround, environment } = look;
  const unasked = lack === undefined ? "" : `. ${lack.remedy}`;
  const unreachable = cluster.reachable ? "" : `${cluster.reason}${unasked}`;
  if (environment.operator?.read !== false)
    return planReport(facts, goal.release, planUpgradePath(facts, goal), unreachable);
  const report = planReport(facts, goal.release, { possible: false, missing: [] }, unreachable);
  const why = lackAround === undefined ? environment.operator.why : `${lackAround.text}. ${lackAround.remedy}`;
  return { ...report, unknown: [`the operator: ${why}`, ...report.unknown] };
}

function exitOf({ possible, missing, unknown }: PlanReport): ExitCode {
  if (!possible && missing.length > 0) return EXIT.found;
  return unknown.length === 0 ? EXIT.ok : EXIT.unknown;
}

/** What a plan shall arrive at; CLI_UNKNOWN_RELEASE for a release that there is not. */
export function goalOf({ to, kubernetes, databases }: Pick<PlanOptions, "to" | "kubernetes" | "databases">): Goal {
  return {
    release: namedRelease(to).operator,
    ...(kubernetes === undefined ? {} : { kubernetes }),
    ...(databases === undefined ? {} : { databases }),
  };
}
