import { assertNever } from "#kit/base/assert-never";
import { Fault, isFault, messageOf } from "#kit/base/fault";
import type { Kube, Stored } from "#kit/kube/kube";
import { faults } from "#kit/kube/faults";
import { controllerOf, ownerReference, refOf } from "#kit/kube/ref";
import { askedBackup } from "../../../core/api/asked-backup.ts";
import { KINDS, type StoreEnterpriseBackupSchedule } from "../../../core/api/kinds.ts";
import { deploymentLog } from "../../../core/api/kubectl.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import {
  decideAskedSchedule,
  type AskedScheduleAct,
  type NamesakeSchedule,
} from "../../../core/backup/asked-schedule.ts";
import { warn } from "../../../core/planner/findings/finding.ts";
import type { Step } from "../../../core/planner/findings/step.ts";
import type { FindingId } from "../../../core/planner/prerequisites/finding-ids.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { BackupSchedules } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { forbiddenFinding, type ForbiddenDeps } from "../context/forbidden.ts";
import type { Redb } from "./cluster.ts";

/** What stands in the findings of a database of its schedule. */
export const SCHEDULE_FINDINGS: readonly string[] = [
  "BackupRefused",
  "BackupScheduleGoing",
  "BackupScheduleNotKept",
  "BackupScheduleTaken",
] satisfies readonly FindingId[];

/** With what schedules of databases are kept. */
export interface KeepScheduleDeps extends ForbiddenDeps {
  readonly kube: Kube;
  readonly cache: Pick<InformerCache, "backupSchedules">;
}

/** What came of keeping the schedule of a database. */
export interface KeptSchedule {
  /** Why there is none as the database asks for it; undefined: as it was said before. */
  readonly findings: readonly Finding[] | undefined;
  /** It did not come about, and no change of an object tells when it may. */
  readonly isToRetry: boolean;
}

/** Has the StoreEnterpriseBackupSchedule of a database be as its `spec.backup` asks. */
export type ScheduleKeeper = (redb: Redb) => Promise<KeptSchedule>;

/**
 * Keeps schedules of databases, by one write at most in a pass. Nothing of it holds the rest of a database up: what fails is a finding, and a race is decided
 * again once the other write is known.
 */
export function scheduleKeeper(deps: KeepScheduleDeps): ScheduleKeeper {
  let isKnown = false;
  void deps.cache.backupSchedules.synced.then(
    () => (isKnown = true),
    () => undefined, // ended before
  );
  return async (redb) => {
    const there = deps.cache.backupSchedules.get(refOf(redb));
    const step = isKnown ? stepFor(redb, there) : undefined;
    if (step === undefined) return AS_BEFORE;
    if (step.kind === "wait") return { findings: [step.wait], isToRetry: false };
    try {
      if (step.kind === "act") await perform(deps, redb, there, step.act);
      return { findings: [], isToRetry: false };
    } catch (error) {
      if (isFault(error, faults.conflict) || isFault(error, faults.alreadyExists)) return AS_BEFORE;
      if (!(error instanceof Fault)) throw error;
      return { findings: [await failureOf(deps, redb, error)], isToRetry: true };
    }
  };
}

const AS_BEFORE: KeptSchedule = { findings: undefined, isToRetry: false };

/** Undefined where nothing can be decided: the database itself says what is wrong with its spec. */
function stepFor(
  redb: Redb,
  there: Stored<StoreEnterpriseBackupSchedule> | undefined,
): Step<AskedScheduleAct> | undefined {
  const { name, uid } = redb.metadata;
  const backup = askedBackup.optional().safeParse(redb.spec.backup);
  if (!backup.success) return undefined;
  const isSite = controllerOf(redb)?.kind === KINDS.activeActive.kind;
  return decideAskedSchedule({ name, uid, isSite, backup: backup.data }, there && namesake(there));
}

function namesake(there: Stored<StoreEnterpriseBackupSchedule>): NamesakeSchedule {
  const { deletionTimestamp } = there.metadata;
  return { owner: controllerOf(there), isGoing: deletionTimestamp !== undefined, spec: there.spec };
}

async function perform(
  { kube, cache }: KeepScheduleDeps,
  redb: Redb,
  there: Stored<StoreEnterpriseBackupSchedule> | undefined,
  act: AskedScheduleAct,
): Promise<void> {
  const { backupSchedules } = cache;
  switch (act.kind) {
    case "make": {
      const metadata = { ...refOf(redb), ownerReferences: [ownerReference(redb)] };
      backupSchedules.learn(await kube.create(BackupSchedules, { metadata, spec: act.spec }));
      return;
    }
    case "correct":
      if (there === undefined) return;
      backupSchedules.learn(await kube.update(BackupSchedules, { ...there, spec: act.spec }));
      return;
    case "remove": {
      if (there === undefined) return;
      const { uid, resourceVersion } = there.metadata; // what it was when it was looked at
      await kube.delete(BackupSchedules, refOf(there), { uid, resourceVersion });
      return;
    }
    default:
      assertNever(act);
  }
}

async function failureOf(deps: KeepScheduleDeps, { metadata }: Redb, error: Fault): Promise<Finding> {
  const forbidden = await forbiddenFinding(deps, metadata.namespace ?? "default", error);
  const { evidence = messageOf(error), remedy = `read the log of the operator, which tries again: ${LOG}` } =
    forbidden ?? {};
  const what = `the StoreEnterpriseBackupSchedule "${metadata.name}" is not as spec.backup says`;
  return warn("BackupScheduleNotKept", `${what}: ${evidence}`, remedy);
}

const LOG = deploymentLog(OPERATOR_NAME);
