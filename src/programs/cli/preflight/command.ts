import { Command } from "commander";
import { Fault } from "#kit/base/fault";
import { MOMENTS } from "../../../core/planner/prerequisites/check.ts";
import { notKnown } from "../../../core/planner/findings/finding.ts";
import { verdictsAt, type CheckVerdict } from "../../../core/planner/prerequisites/run.ts";
import { checkInput, stepFrom, type ReleaseStep } from "../../../core/planner/prerequisites/check-input.ts";
import { EXIT, type Asking } from "../console/context.ts";
import { faults } from "../faults.ts";
import { MAY_NOT_READ } from "../access/denied.ts";
import { lookAtCluster, type Look } from "../access/look.ts";
import { namedRelease } from "../access/named-release.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { preflightReport, preflightTable, type PreflightReport } from "./report.ts";

interface PreflightOptions extends NamespaceOptions, OutputOption {
  readonly to?: string;
  readonly all?: boolean;
}

/** `storectl preflight`: every prerequisite of an upgrade, looked at without touching anything. */
export function preflightCommand(context: Asking): Command {
  const command = new Command("preflight")
    .description("check every prerequisite of an upgrade; nothing is touched")
    .argument("[cluster]", "the cluster (default: the only one of the namespace)")
    .option("--to <release>", "check the step to this operator version (default: what the spec asks for)")
    .option("--all", "show what passed too")
    .addOption(outputOption())
    .action(async (cluster: string | undefined, options: PreflightOptions) => {
      const look = await withAccess(options, context, (access) => lookAtCluster(access, cluster));
      const report = preflightOf(look, options.to);
      context.print(
        renderAnswer(
          options.output,
          report,
          (columns) => preflightTable(report, options.all === true, columns),
          context,
        ),
      );
      context.end({ ready: EXIT.ok, blocked: EXIT.found, unknown: EXIT.unknown }[report.verdict]);
    });
  return withNamespaceOptions(command);
}

/** Every check of the step to the operator version `to`, or of the step that is before the cluster. */
export function preflightOf(look: Look, to?: string): PreflightReport {
  const step = to === undefined ? pendingStep(look) : stepTo(to, look);
  const input = checkInput(look.observation.view, { environment: look.environment, ...(step && { step }) });
  const verdicts = verdictsAt(MOMENTS, input);
  const known = look.lack?.isEssential === true ? verdicts.map(asUnknown) : verdicts;
  return preflightReport(input, known, look.observation.namespace, look.lackAround);
}

/** Without the facts that every check begins with, none has passed and none has found anything. */
function asUnknown({ check }: CheckVerdict): CheckVerdict {
  const evidence = `it is not known whether ${check.asks}: ${MAY_NOT_READ}`;
  return { check, outcome: "unknown", finding: notKnown(check.id, evidence) };
}

/** A cluster that its operator has left behind has its next step before it, whether the spec asks for it or not. */
function pendingStep({ nodeTag, observation: { view } }: Look): ReleaseStep | undefined {
  const next = stepFrom(nodeTag, view.release);
  const isBehind = nodeTag !== "" && next.from?.operator !== view.release.operator;
  return checkInput(view).step ?? (isBehind ? next : undefined);
}

function stepTo(version: string, { nodeTag, observation }: Look): ReleaseStep {
  const to = namedRelease(version);
  if (nodeTag !== "") return stepFrom(nodeTag, to);
  throw new Fault(faults.unknownRelease, `${observation.view.name} has no nodes yet that run a release`);
}
