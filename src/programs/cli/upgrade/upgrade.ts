import { planUpgradePath } from "../../../core/planner/upgrade-path/plan.ts";
import type { PlanStep } from "../../../core/planner/upgrade-path/step.ts";
import { verdictsAt } from "../../../core/planner/prerequisites/run.ts";
import { checkInput, stepFrom } from "../../../core/planner/prerequisites/check-input.ts";
import { releaseByNodeTag, releaseByOperator } from "../../../core/releases/catalogue/find.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { Fault } from "#kit/base/fault";
import { EXIT, type ExitCode } from "../console/context.ts";
import { faults } from "../faults.ts";
import { lookAtCluster, type Look } from "../access/look.ts";
import { goalOf } from "../plan/command.ts";
import { pathFactsOf } from "../plan/facts.ts";
import { planReport, planTable } from "../plan/report.ts";
import { findingText } from "../preflight/report.ts";
import { columnsOf } from "../console/output.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { operatorIsStarting } from "./operator-rollout.ts";
import { performStep } from "./perform.ts";
import { requireLook, requireSteps } from "./rights.ts";
import type { Talk, UpgradeOptions } from "./talk.ts";
import type { FindingId } from "../../../core/planner/prerequisites/finding-ids.ts";

/**
 * Walks from where things stand to the goal. Each round looks anew and does the first step of the plan, so that a walk that
 * was broken off anywhere goes on when it is begun again, and never does a step twice. Nothing is begun before the whole plan is agreed to, nor
 * without a permission that one of its steps needs.
 */
export async function upgrade(access: NamespaceAccess, options: UpgradeOptions, talk: Talk): Promise<ExitCode> {
  const agreed = new Set<string>();
  await requireLook(access, options);
  for (let done = 0; ; done += 1) {
    const look = await lookWhenHandled(access, options.cluster, talk);
    const report = reportOn(look, options);
    const isReachable = look.observation.view.cluster.reachable;
    const end = endOf(report, isReachable);
    if (end !== undefined || done === 0) talk.print(planTable(report, columnsOf(talk)));
    if (end !== undefined) return end;
    const [step] = report.steps;
    if (step === undefined) return reportArrival(talk, done, options);
    if (done === 0) await requireSteps(access, look, report.steps, options);
    talk.print(`\n${done + 1}. ${step.stage}: ${step.from} -> ${step.to}\n`);
    const objections = objectionsTo(look, step);
    if (objections.length > 0) return reportBlocks(talk, objections);
    if (isByHand(step)) return askForStep(talk);
    await agreeTo(report.steps, agreed, talk);
    const outcome = await performStep(access, look, step, options, talk);
    if (outcome !== "done") return reportBlocks(talk, outcome);
  }
}

/** Undefined while there is a way on. */
function endOf({ possible }: ReturnType<typeof planReport>, isReachable: boolean): ExitCode | undefined {
  if (!possible) return EXIT.found;
  return isReachable ? undefined : EXIT.unknown;
}

function reportOn(look: Look, options: UpgradeOptions): ReturnType<typeof planReport> {
  const facts = pathFactsOf(look);
  const { cluster } = look.observation.view;
  const plan = planUpgradePath(facts, goalOf(options));
  return planReport(facts, options.to, plan, cluster.reachable ? "" : cluster.reason);
}

function isByHand({ stage }: PlanStep): boolean {
  return stage === "modules" || stage === "kubernetes";
}

function askForStep({ print }: Talk): ExitCode {
  print("   You have to do this step yourself. Then run the same command again.\n");
  return EXIT.found;
}

/** An operator that runs looks at an edit within a second; in milliseconds. */
const HANDLED_MS = 10_000;
const LOOK_EVERY_MS = 200;

/**
 * The cluster once its operator runs and has looked at the last edit, so that a bundle or an edit of a moment ago is no objection; as it
 * is when the Deployment of the operator makes no progress, or after a while.
 */
async function lookWhenHandled(
  access: NamespaceAccess,
  cluster: string | undefined,
  { clock, signal }: Talk,
): Promise<Look> {
  let deadline = clock.uptimeMs() + HANDLED_MS;
  for (;;) {
    // before the look, which shows the cluster when the time is over
    const isLate = clock.uptimeMs() >= deadline;
    const look = await lookAtCluster(access, cluster);
    const { generation, remembered } = look.observation.view;
    const isStarting = await operatorIsStarting(access);
    if (isStarting) deadline = clock.uptimeMs() + HANDLED_MS;
    const isHandled = !isStarting && (remembered.observedGeneration ?? 0) >= generation;
    if (isHandled || (isLate && !isStarting) || signal?.aborted === true) return look;
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

/** What blocks a step, and what has to settle first. */
function objectionsTo({ observation, environment, nodeTag }: Look, { stage, to }: PlanStep): readonly Finding[] {
  const target = stage === "cluster" ? releaseByNodeTag(to) : stage === "operator" ? releaseByOperator(to) : undefined;
  const step = target && stepFrom(nodeTag, target);
  const input = checkInput(observation.view, { environment, ...(step && { step }) });
  // a roll that runs is followed: what it waits for, and that it runs, is no objection
  const runs = ["Upgrade", "RunningRollingUpdate"].includes(observation.view.remembered.state ?? "");
  return verdictsAt(runs ? ["spec", "edit", "start"] : ["spec", "edit", "start", "write", "plan"], input).flatMap(
    (verdict) => (verdict.outcome === "found" && isInTheWay(verdict.finding, stage) ? [verdict.finding] : []),
  );
}

/** Findings about the tag. */
const ABOUT_TAG: readonly string[] = ["UnknownImageTag", "ImageTagMismatch"] satisfies readonly FindingId[];

/** A finding about the tag does not block the step that writes the tag, because this step clears it. */
function isInTheWay({ id, severity }: Finding, stage: PlanStep["stage"]): boolean {
  if (severity !== "block") return false;
  return stage !== "cluster" || !ABOUT_TAG.includes(id);
}

function reportArrival({ print }: Talk, done: number, { to }: UpgradeOptions): ExitCode {
  if (done > 0) print(`\nArrived at ${to}.\n`);
  return EXIT.ok;
}

function reportBlocks(talk: Talk, findings: readonly Finding[]): ExitCode {
  const columns = columnsOf(talk);
  const said = findings.map((finding) => findingText(finding, columns)).join("");
  talk.print(`\n${said}\nClear what blocks, then run the same command again.\n`);
  return EXIT.found;
}

/** Asks for what cannot be undone in the whole plan, once for each step; CLI_NOT_AGREED without a yes. */
async function agreeTo(steps: readonly PlanStep[], agreed: Set<string>, talk: Talk): Promise<void> {
  const asked = steps.filter((step) => step.irreversible !== "" && !agreed.has(nameOf(step)));
  if (asked.length > 0 && !talk.agreed) await requireYes(asked, talk);
  for (const step of asked) agreed.add(nameOf(step));
}

function nameOf({ stage, to }: PlanStep): string {
  return `${stage} ${to}`;
}

const ATTEMPTS = 3;

async function requireYes(steps: readonly PlanStep[], { ask, print }: Talk): Promise<void> {
  const [first] = steps;
  const what = steps.map((step) => `   ${nameOf(step)}: ${step.irreversible}\n`).join("");
  const refuse = (why: string): Fault =>
    new Fault(faults.notAgreed, `nothing was begun: ${steps.map(nameOf).join(", ")} cannot be undone, and ${why}`);
  if (ask === undefined) throw refuse("there is no terminal to ask");
  print(`   This cannot be undone:\n${what}`);
  const question = `   Go on with ${steps.length === 1 && first !== undefined ? nameOf(first) : "the whole plan"}? (yes/no) `;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const answer = (await ask(question)).trim().toLowerCase();
    if (answer === "y" || answer === "yes") return;
    if (answer === "" || answer === "n" || answer === "no") throw refuse("you did not agree");
    print(`   "${answer}" is neither yes nor no.\n`);
  }
  throw refuse("no answer was yes or no");
}
