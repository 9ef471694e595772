import { Fault } from "#kit/base/fault";
import { commandOf } from "../../../core/planner/recovery/describe.ts";
import { planRecovery } from "../../../core/planner/recovery/plan.ts";
import type { Recovery } from "../../../core/planner/recovery/recovery.ts";
import { EXIT, type CliContext, type ExitCode } from "../console/context.ts";
import { faults } from "../faults.ts";
import { lookAtCluster, type Look } from "../access/look.ts";
import { columnsOf, renderAnswer, type OutputOption } from "../console/output.ts";
import { refuseMissing } from "../access/rights.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { recoveryFactsOf } from "./facts.ts";
import type { Supplies } from "./supplies.ts";
import { performAct } from "./perform.ts";
import { requireActs } from "./rights.ts";
import { recoverReport, recoverTable } from "./report.ts";

export interface RecoverOptions {
  readonly cluster: string | undefined;
  readonly supplies: Supplies;
  readonly form: OutputOption["output"];
}

/** Where a recovery prints and asks. */
interface Talk extends CliContext {
  readonly agreed: boolean;
  /** Aborts when the user has had enough. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Proposes, and does what is agreed, one cause after the other: each look is new, so that a recovery that was broken off
 * anywhere goes on when it is begun again. In a form for programs it only proposes.
 */
export async function recover(access: NamespaceAccess, options: RecoverOptions, talk: Talk): Promise<ExitCode> {
  const tried = new Set<string>();
  for (;;) {
    const look = await lookAtCluster(access, options.cluster);
    if (look.lack?.isEssential === true) await refuseMissing(access, access.denied.list(), look.observation.view.name);
    const recoveries = planRecovery(await recoveryFactsOf(access, look), options.supplies.given);
    const report = recoverReport(look, recoveries);
    if (options.form !== "table") {
      talk.print(renderAnswer(options.form, report, () => "", talk));
      return endOf(look, recoveries);
    }
    if (tried.size === 0) talk.print(recoverTable(report, columnsOf(talk)));
    const ready = recoveries.filter((one) => one.acts.length > 0 && one.needs === "" && !tried.has(keyOf(one)));
    const [next] = ready;
    if (next === undefined || !canAgree(talk)) return finish(look, recoveries, tried.size, talk);
    if (tried.size === 0) await requireActs(access, look.observation.view.name, ready);
    tried.add(keyOf(next));
    talk.print(`\n${next.object}: ${next.rule}\n`);
    if (await isAgreed(talk, next)) await carryOut(access, look, next, options, talk);
  }
}

function keyOf({ object, rule }: Recovery): string {
  return `${object} ${rule}`;
}

function canAgree({ agreed, ask }: Talk): boolean {
  return agreed || ask !== undefined;
}

async function isAgreed({ agreed, ask, print }: Talk, { irreversible }: Recovery): Promise<boolean> {
  if (agreed) return true;
  const said = await ask?.(`   ${irreversible === "" ? "" : `${irreversible}. `}Do this? (yes/no) `);
  if (said?.trim().toLowerCase() === "yes") return true;
  print("   left as it is\n");
  return false;
}

async function carryOut(
  access: NamespaceAccess,
  look: Look,
  recovery: Recovery,
  options: RecoverOptions,
  talk: Talk,
): Promise<void> {
  const { view, connection } = look.observation;
  for (const act of recovery.acts) {
    if (talk.signal?.aborted === true)
      throw new Fault(faults.interrupted, `stopped before: ${commandOf(act, view.name)}`);
    talk.print(`   $ ${commandOf(act, view.name)}\n`);
    await performAct({ access, cluster: view.name, client: connection?.client, supplies: options.supplies, talk }, act);
  }
  talk.print(`   ${(await clears(access, recovery, options, talk)) ? "cleared" : "it is not cleared yet"}\n`);
}

const LOOK_EVERY_MS = 500;
/** The operator notices within seconds; what takes longer is reported as it is, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Waits until the cause is gone, for storectl and for the operator. */
async function clears(
  access: NamespaceAccess,
  recovery: Recovery,
  options: RecoverOptions,
  { clock, signal }: Talk,
): Promise<boolean> {
  const deadline = clock.uptimeMs() + PATIENCE_MS;
  for (;;) {
    // before the look: the last one shows the cluster when the time is over
    const isLate = clock.uptimeMs() >= deadline;
    const look = await lookAtCluster(access, options.cluster);
    const left = planRecovery(await recoveryFactsOf(access, look), options.supplies.given);
    if (!left.some((one) => keyOf(one) === keyOf(recovery)) && !isStillReported(look, recovery)) return true;
    if (isLate) return false;
    await clock.sleep(LOOK_EVERY_MS, signal).catch((error: unknown) => {
      throw new Fault(faults.interrupted, `stopped looking whether ${recovery.rule} is cleared`, {}, error);
    });
  }
}

function isStillReported({ observation: { view } }: Look, { object, rule }: Recovery): boolean {
  if (object !== `rec/${view.name}`) return false;
  return (view.remembered.findings ?? []).some(({ id, severity }) => id === rule && severity === "block");
}

function finish(look: Look, recoveries: readonly Recovery[], tried: number, talk: Talk): ExitCode {
  const code = endOf(look, recoveries);
  if (recoveries.length > 0) talk.print(leftText(recoveries, tried, talk));
  if (code === EXIT.ok && tried > 0)
    talk.print("\nNothing blocks any more. A waiting upgrade continues: storectl status\n");
  return code;
}

function leftText(recoveries: readonly Recovery[], tried: number, talk: Talk): string {
  const ready = recoveries.filter(({ acts, needs }) => acts.length > 0 && needs === "");
  if (tried === 0 && ready.length > 0 && !canAgree(talk))
    return "\nNothing was done: there is no terminal to ask. Give --yes to do what is proposed.\n";
  const blocking = recoveries.filter(({ blocks }) => blocks);
  if (blocking.length === 0) return "";
  const left = blocking.map(({ object, rule, needs }) => `${object}: ${rule}${needs === "" ? "" : ` needs ${needs}`}`);
  return `\nStill in the way:\n${left.map((line) => `   ${line}\n`).join("")}`;
}

/** By the rule of `storectl status`: 3 for what blocks, and not for a warning. */
function endOf({ observation: { view } }: Look, recoveries: readonly Recovery[]): ExitCode {
  if (recoveries.some(({ blocks }) => blocks)) return EXIT.found;
  return view.cluster.reachable ? EXIT.ok : EXIT.unknown;
}
