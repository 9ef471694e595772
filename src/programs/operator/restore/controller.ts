import { assertNever } from "#kit/base/assert-never";
import type { Log } from "#kit/base/log";
import { refOfKey } from "#kit/kube/ref";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { getObjects } from "../../../core/api/kubectl.ts";
import { restoreSpec, type RestoreSpec, type RestoreStatus } from "../../../core/api/restore-spec.ts";
import { FOLLOW_MS } from "../../../core/backup/decide.ts";
import { decideRestore, type RestoreStep } from "../../../core/backup/decide-restore.ts";
import { changeText } from "../../../core/backup/restored-shards.ts";
import type { RestoreRefusal, RestoreSource } from "../../../core/backup/restore-source.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Restores } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { BackupContent } from "../../../ports/management/records/backups.ts";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import { beginRestore, makeDatabase, planFor, readSource, refusalByLicense, type RestoreActDeps } from "./act.ts";
import {
  clusterForNew,
  findRestored,
  sourceOfRestore,
  type FindRestoreDeps,
  type FoundDatabase,
  type StoredRestore,
} from "./find.ts";
import { reportRestore, type RestoreReport, type RestoreReportDeps } from "./report.ts";

/** What passes over restores work with. */
export interface RestoreDeps extends RestoreActDeps, FindRestoreDeps, RestoreReportDeps {
  readonly cache: RestoreActDeps["cache"] & FindRestoreDeps["cache"] & Pick<InformerCache, "restores">;
  readonly log: Log;
}

/** One pass over a StoreEnterpriseRestore: looks at its backup and its database, does one act at most, reports. */
export function restoreReconciler(deps: RestoreDeps): (key: string) => Promise<Outcome> {
  const reconcile = (key: string): Promise<Outcome> => {
    const object = deps.cache.restores.get(refOfKey(key));
    const isOver = object?.metadata.deletionTimestamp !== undefined;
    return object === undefined || isOver ? Promise.resolve(AT_REST) : pass(deps, object);
  };
  return withFailuresReported(reconcile, reportFailedPass(deps, Restores, deps.cache.restores), deps.log);
}

/** What a pass works on. */
interface Pass {
  readonly object: StoredRestore;
  readonly namespace: string;
  readonly spec: RestoreSpec;
  readonly source: RestoreSource;
  readonly found: FoundDatabase;
}

async function pass(deps: RestoreDeps, object: StoredRestore): Promise<Outcome> {
  const { phase, databaseMade: wasMade = false } = object.status ?? {};
  if (phase === "Failed" || phase === "Completed") return AT_REST;
  const parsed = restoreSpec.safeParse(object.spec);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `spec.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
    return reportRefusal(deps, object, { reason: "SpecInvalid", message, isForGood: true });
  }
  const spec = parsed.data;
  const { namespace = "default" } = object.metadata;
  const replacesLost = spec.replaceLostData === true;
  const found = await findRestored(deps, spec.databaseName, { namespace, wasMade, replacesLost });
  const source = sourceOfRestore(deps, spec, namespace);
  // what has its data needs no backup any more
  const isSourceNeeded = found.database.kind !== "there" || found.database.awaits;
  if ("reason" in source && isSourceNeeded) return reportRefusal(deps, object, lateIn(deps, object, spec, source));
  const named = "reason" in source ? { folder: "", name: "", s3: NOWHERE, database: "" } : source;
  const step = decideRestore(factsOf(deps, object, spec, { name: named.name, found }));
  return follow(deps, { object, namespace, spec, source: named, found }, step);
}

async function follow(deps: RestoreDeps, all: Pass, step: RestoreStep): Promise<Outcome> {
  const { object, found } = all;
  const { bytes } = found.seen ?? {};
  const known = bytes === undefined ? {} : { known: { bytes } };
  const say = async (report: RestoreReport, outcome: Outcome): Promise<Outcome> => {
    await reportRestore(deps, object, { ...known, ...report });
    return outcome;
  };
  switch (step.kind) {
    case "rest":
      return AT_REST;
    case "plan":
      return plan(deps, all);
    case "begin":
      return begin(deps, all);
    case "follow":
      return say({ ...RUNNING }, lookAgain(FOLLOW_MS));
    case "wait": {
      const phase = step.reason === "Loading" || step.reason === "NotLoaded" ? "Running" : "Pending";
      return say({ phase, reason: step.reason, message: step.message }, lookAgain(step.afterMs));
    }
    case "complete":
      return say({ phase: "Completed", reason: "Completed", message: completedText(object) }, AT_REST);
    case "fail":
      return say({ phase: "Failed", reason: step.reason, message: step.message }, AT_REST);
    default:
      return assertNever(step);
  }
}

/** Reads the backup, and makes the database for it or says what it would be. */
async function plan(deps: RestoreDeps, { object, namespace, spec, source }: Pass): Promise<Outcome> {
  const { databaseName: name } = spec;
  const cluster = spec.database?.storeEnterpriseCluster?.name;
  const at = clusterForNew(deps, { name, namespace, cluster });
  if ("reason" in at) return reportRefusal(deps, object, { ...at, isForGood: false });
  const read = await readSource(deps, at.client, source, namespace);
  if ("reason" in read) return reportRefusal(deps, object, read);
  const planned = planFor(deps, spec, read, namespace);
  const ofSource = sourceStatus(source, read.content);
  if ("reason" in planned) return reportRefusal(deps, object, { ...planned, isForGood: true }, { source: ofSource });
  const known = { source: ofSource, database: planned.shown };
  const isDryRun = spec.dryRun === true;
  const refusal = await refusalByLicense(at, planned);
  if (refusal !== undefined) return reportRefusal(deps, object, { ...refusal, isForGood: isDryRun }, known);
  if (isDryRun) {
    const message = `nothing is made: "${name}" would be a database with the data of ${ofSource.path}${changeText(planned.shown, "once it serves")}`;
    await reportRestore(deps, object, { phase: "Planned", reason: "Planned", message, known });
    return AT_REST;
  }
  await makeDatabase(deps, { name, namespace }, planned, object.metadata.name);
  const message = `the object of the database "${name}" is made, and waits for its data`;
  const made = { ...known, databaseMade: true };
  await reportRestore(deps, object, { phase: "Pending", reason: "DatabaseMade", message, known: made });
  return lookAgain(FOLLOW_MS);
}

/** Reads the backup once more, for a database may have been made by others, and lets the cluster bring its data. */
async function begin(deps: RestoreDeps, { object, namespace, spec, source, found }: Pass): Promise<Outcome> {
  if (found.at === undefined) return lookAgain(FOLLOW_MS);
  const read = await readSource(deps, found.at.client, source, namespace);
  if ("reason" in read) return reportRefusal(deps, object, read);
  const refusal = await beginRestore(found.at, source, read, spec);
  const known = { source: sourceStatus(source, read.content) };
  if (refusal !== undefined) return reportRefusal(deps, object, refusal, known);
  await reportRestore(deps, object, { ...RUNNING, isBegun: true, known });
  return lookAgain(FOLLOW_MS);
}

async function reportRefusal(
  deps: RestoreDeps,
  object: StoredRestore,
  { reason, message, isForGood }: RestoreRefusal,
  known: RestoreReport["known"] = {},
): Promise<Outcome> {
  await reportRestore(deps, object, { phase: isForGood ? "Failed" : "Pending", reason, message, known });
  return isForGood ? AT_REST : lookAgain(REFUSED_MS);
}

/** What keeps a restore for longer than it has time ends it. */
function lateIn(
  { clock }: RestoreDeps,
  { metadata }: StoredRestore,
  { activeDeadlineSeconds = DEADLINE_SECONDS }: RestoreSpec,
  refusal: RestoreRefusal,
): RestoreRefusal {
  const made = Date.parse(String(metadata.creationTimestamp));
  if (refusal.isForGood || clock.now().getTime() < made + activeDeadlineSeconds * 1_000) return refusal;
  const message = `it is not complete after ${activeDeadlineSeconds} s; the last reason: ${refusal.message}`;
  return { reason: "DeadlineExceeded", message, isForGood: true };
}

function factsOf(
  { clock }: RestoreDeps,
  { metadata, status = {} }: StoredRestore,
  spec: RestoreSpec,
  { name, found }: { readonly name: string; readonly found: FoundDatabase },
) {
  const now = clock.now().getTime();
  return {
    name,
    phase: status.phase,
    isDryRun: spec.dryRun === true,
    attempts: status.attempts ?? 0,
    begunAt: status.startTime === undefined ? undefined : Date.parse(status.startTime),
    madeAt: metadata.creationTimestamp === undefined ? now : Date.parse(String(metadata.creationTimestamp)),
    deadlineMs: (spec.activeDeadlineSeconds ?? DEADLINE_SECONDS) * 1_000,
    now,
    database: found.database,
    seen: found.seen,
  };
}

function sourceStatus(
  { folder, name }: RestoreSource,
  { database, ended, files }: BackupContent,
): NonNullable<RestoreStatus["source"]> {
  const keys = files.reduce<number | undefined>(
    (sum, { keys: one }) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  );
  return {
    path: `${folder}/${name}/`,
    database: database.name,
    namespace: database.namespace,
    storeVersion: database.redis_version,
    time: ended,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(keys === undefined ? {} : { keys }),
  };
}

function completedText({ spec, status }: StoredRestore): string {
  const change = changeText(status?.database, "now");
  const way = change === "" ? "" : `: ${getObjects(`redb ${spec.databaseName}`)} -w`;
  return `the database serves with the data of ${status?.source?.path ?? "the backup"}${change}${way}`;
}

const RUNNING = { phase: "Running", reason: "Running", message: "the nodes fetch the data" } as const;
const NOWHERE = { bucketName: "", awsSecretName: "" } as const;
const DEADLINE_SECONDS = 86_400;
/** How soon a restore is tried again that was refused, in milliseconds. */
const REFUSED_MS = 10_000;
