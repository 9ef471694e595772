import { assertNever } from "#kit/base/assert-never";
import type { Log } from "#kit/base/log";
import { refOfKey } from "#kit/kube/ref";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { getObjects } from "../../../core/api/kubectl.ts";
import { restoreSpec, type RestoreSpec, type RestoreStatus } from "../../../core/api/restore-spec.ts";
import { FOLLOW_MS, tooLate, type RunDecision } from "../../../core/backup/decide.ts";
import { decideRestore, isLoading, type RestoreAct } from "../../../core/backup/decide-restore.ts";
import { hindranceWords } from "../../../core/backup/run-statements.ts";
import { changeText } from "../../../core/backup/restored-shards.ts";
import { forGood, forNow, type RestoreRefusal, type RestoreSource } from "../../../core/backup/restore-source.ts";
import { block } from "../../../core/planner/findings/finding.ts";
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
    return reportRefusal(deps, object, forGood(block("SpecInvalid", message, ANOTHER)));
  }
  const spec = parsed.data;
  const { namespace = "default" } = object.metadata;
  const replacesLost = spec.replaceLostData === true;
  const found = await findRestored(deps, spec.databaseName, { namespace, wasMade, replacesLost });
  const source = sourceOfRestore(deps, spec, namespace);
  // what has its data needs no backup any more
  const isSourceNeeded = found.database.kind !== "there" || found.database.awaits;
  if ("id" in source && isSourceNeeded) return reportRefusal(deps, object, lateIn(deps, object, spec, source));
  const named = "id" in source ? NOWHERE : source;
  const decision = decideRestore(factsOf(deps, object, spec, { name: named.name, found }));
  return follow(deps, { object, namespace, spec, source: named, found }, decision);
}

async function follow(deps: RestoreDeps, all: Pass, { step, afterMs }: RunDecision<RestoreAct>): Promise<Outcome> {
  const { object, found } = all;
  const { bytes } = found.seen ?? {};
  const known = bytes === undefined ? {} : { known: { bytes } };
  const say = async (report: Omit<RestoreReport, "isBegun">): Promise<Outcome> => {
    await reportRestore(deps, object, { ...known, ...report, isBegun: false });
    return afterMs === undefined ? AT_REST : lookAgain(afterMs);
  };
  if (step.kind === "rest") return AT_REST;
  if (step.kind === "wait")
    return say({ phase: isLoading(step.wait) ? "Running" : "Pending", ...hindranceWords(step.wait) });
  switch (step.act.kind) {
    case "plan":
      return plan(deps, all);
    case "begin":
      return begin(deps, all);
    case "follow":
      return say(RUNNING);
    case "complete":
      return say({ phase: "Completed", reason: "Completed", message: completedText(object), isStalled: false });
    case "fail":
      return say({ phase: "Failed", ...hindranceWords(step.act.finding) });
    default:
      return assertNever(step.act);
  }
}

/** Reads the backup, and makes the database for it or says what it would be. */
async function plan(deps: RestoreDeps, { object, namespace, spec, source }: Pass): Promise<Outcome> {
  const { databaseName: name } = spec;
  const cluster = spec.database?.storeEnterpriseCluster?.name;
  const at = clusterForNew(deps, { name, namespace, cluster });
  if ("id" in at) return reportRefusal(deps, object, forNow(at));
  const read = await readSource(deps, at.client, source, namespace);
  if ("id" in read) return reportRefusal(deps, object, read);
  const planned = planFor(deps, spec, read, namespace);
  const ofSource = sourceStatus(source, read.content);
  if ("id" in planned) return reportRefusal(deps, object, forGood(planned), { source: ofSource });
  const known = { source: ofSource, database: planned.shown };
  const isDryRun = spec.dryRun === true;
  const refusal = await refusalByLicense(at, planned);
  if (refusal !== undefined) return reportRefusal(deps, object, { ...refusal, isForGood: isDryRun }, known);
  if (isDryRun) {
    const message = `nothing is made: "${name}" would be a database with the data of ${ofSource.path}${changeText(planned.shown, "once it serves")}`;
    await reportRestore(deps, object, { phase: "Planned", reason: "Planned", message, known, ...QUIET });
    return AT_REST;
  }
  await makeDatabase(deps, { name, namespace }, planned, object.metadata.name);
  const message = `the object of the database "${name}" is made, and waits for its data`;
  const made = { ...known, databaseMade: true };
  await reportRestore(deps, object, { phase: "Pending", reason: "DatabaseMade", message, known: made, ...QUIET });
  return lookAgain(FOLLOW_MS);
}

/** Reads the backup once more, for a database may have been made by others, and lets the cluster bring its data. */
async function begin(deps: RestoreDeps, { object, namespace, spec, source, found }: Pass): Promise<Outcome> {
  if (found.at === undefined) return lookAgain(FOLLOW_MS);
  const read = await readSource(deps, found.at.client, source, namespace);
  if ("id" in read) return reportRefusal(deps, object, read);
  const refusal = await beginRestore(found.at, source, read, spec);
  const known = { source: sourceStatus(source, read.content) };
  if (refusal !== undefined) return reportRefusal(deps, object, refusal, known);
  await reportRestore(deps, object, { ...RUNNING, isBegun: true, known });
  return lookAgain(FOLLOW_MS);
}

async function reportRefusal(
  deps: RestoreDeps,
  object: StoredRestore,
  refusal: RestoreRefusal,
  known: RestoreReport["known"] = {},
): Promise<Outcome> {
  const { isForGood } = refusal;
  const phase = isForGood ? "Failed" : "Pending";
  await reportRestore(deps, object, { phase, ...hindranceWords(refusal), known, isBegun: false });
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
  return forGood(tooLate(activeDeadlineSeconds * 1_000, refusal));
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

const RUNNING = { phase: "Running", reason: "Running", message: "the nodes fetch the data", isStalled: false } as const;
const QUIET = { isBegun: false, isStalled: false } as const;
const ANOTHER = "make another restore";
const NOWHERE: RestoreSource = {
  folder: "",
  name: "",
  s3: { bucketName: "", awsSecretName: "" },
  encryption: undefined,
  database: "",
};
const DEADLINE_SECONDS = 86_400;
/** How soon a restore is tried again that was refused, in milliseconds. */
const REFUSED_MS = 10_000;
