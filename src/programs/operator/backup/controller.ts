import { assertNever } from "#kit/base/assert-never";
import { refOfKey } from "#kit/kube/ref";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import type { Log } from "#kit/base/log";
import { backupSpec, type BackupSpec } from "../../../core/api/backup-spec.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { decideBackup, type BackupAct, type RunDecision } from "../../../core/backup/decide.ts";
import { decideProof, isProofAwaited, type SeenProof } from "../../../core/backup/decide-proof.ts";
import { backupPrefix, nameInStore, savedIn } from "../../../core/backup/layout.ts";
import { hindranceWords } from "../../../core/backup/run-statements.ts";
import { storeOfSaved } from "../../../core/backup/saved-place.ts";
import { Backups } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { BackupRecord } from "../../../ports/management/records/backups.ts";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import type { GivenDeps } from "../secrets/given.ts";
import { beginBackup, type BackupPlace } from "./begin.ts";
import { backupNamed, databaseOf, type BackedUpDatabase, type FindDatabaseDeps } from "./database-of.ts";
import { followProof } from "./prove.ts";
import { pathForeign } from "./path-foreign.ts";
import { reportBackup, type BackupReport, type BackupReportDeps, type StoredBackup } from "./report.ts";

/** What passes over backups work with. */
export interface BackupDeps extends GivenDeps, FindDatabaseDeps, BackupReportDeps {
  readonly cache: FindDatabaseDeps["cache"] & BackupReportDeps["cache"];
  readonly log: Log;
}

/** One pass over a StoreEnterpriseBackup: asks the cluster how it stands, lets it begin, reports. */
export function backupReconciler(deps: BackupDeps): (key: string) => Promise<Outcome> {
  const reconcile = (key: string): Promise<Outcome> => {
    const object = deps.cache.backups.get(refOfKey(key));
    const isOver = object?.metadata.deletionTimestamp !== undefined;
    return object === undefined || isOver ? Promise.resolve(AT_REST) : pass(deps, object);
  };
  return withFailuresReported(reconcile, reportFailedPass(deps, Backups, deps.cache.backups), deps.log);
}

async function pass(deps: BackupDeps, object: StoredBackup): Promise<Outcome> {
  const { phase } = object.status ?? {};
  if (phase === "Failed") return AT_REST;
  const spec = backupSpec.safeParse(object.spec);
  if (!spec.success) {
    if (phase === "Completed") return AT_REST;
    const [issue] = spec.error.issues;
    const message = `spec.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
    const said = { phase: "Failed", reason: "SpecInvalid", message, isStalled: true } as const;
    await reportBackup(deps, object, { ...blank(object), ...said });
    return AT_REST;
  }
  const isProof = phase === "Completed";
  if (isProof && !isProofAwaited(spec.data, object.status ?? {})) return AT_REST;
  const place = placeOf(object, spec.data);
  const database = databaseOf(deps, { name: spec.data.databaseName, namespace: place.namespace });
  const seen = "id" in database ? database : await backupNamed(database, place.name);
  const facts = factsOf(deps, object, spec.data, place.name, seen);
  if (isProof)
    return followProof(deps, object, {
      decision: decideProof({ ...facts, spec: spec.data, status: object.status ?? {} }),
      seen: ownIn(seen, place),
      begin: () => beginProof(deps, object, spec.data, database),
    });
  const decision = decideBackup(facts);
  return follow(deps, object, { spec: spec.data, place, database, decision, seen: ownIn(seen, place) });
}

interface Decided {
  readonly spec: BackupSpec;
  readonly place: BackupPlace;
  readonly database: BackedUpDatabase | Finding;
  readonly decision: RunDecision<BackupAct>;
  readonly seen: BackupRecord | undefined;
}

async function follow(deps: BackupDeps, object: StoredBackup, decided: Decided): Promise<Outcome> {
  const { decision, place, seen } = decided;
  const { step, afterMs } = decision;
  // where it was begun: an edit of the spec since then counts for the next attempt
  const path = object.status?.path ?? backupPrefix(place.folder, place.name);
  const say = async (report: Pick<BackupReport, "phase" | "reason" | "message" | "isStalled">): Promise<Outcome> => {
    await reportBackup(deps, object, { path, seen, isBegun: false, ...report });
    return afterMs === undefined ? AT_REST : lookAgain(afterMs);
  };
  if (step.kind === "rest") return AT_REST;
  if (step.kind === "wait") return say({ phase: "Pending", ...hindranceWords(step.wait) });
  switch (step.act.kind) {
    case "begin":
      return begin(deps, object, decided);
    case "follow":
      return say(RUNNING);
    case "complete":
      await say(sayCompleted(path, seen));
      return lookAgain(0); // its proof is next
    case "fail":
      return say({ phase: "Failed", ...hindranceWords(step.act.finding) });
    default:
      return assertNever(step.act);
  }
}

async function begin(
  deps: BackupDeps,
  object: StoredBackup,
  { spec, place, database, decision: { afterMs = REFUSED_MS } }: Decided,
): Promise<Outcome> {
  const begun = "id" in database ? database : await beginBackup(deps, database, spec, place);
  const said = { path: backupPrefix(place.folder, place.name), seen: undefined };
  if ("id" in begun) {
    await reportBackup(deps, object, { ...said, isBegun: false, phase: "Pending", ...hindranceWords(begun) });
    return lookAgain(REFUSED_MS);
  }
  await reportBackup(deps, object, { ...said, isBegun: true, ...RUNNING });
  return lookAgain(afterMs);
}

/** What is there is loaded, wherever the spec says by now that a backup goes; why when the cluster does not take it. */
async function beginProof(
  deps: BackupDeps,
  { metadata, status = {} }: StoredBackup,
  spec: BackupSpec,
  database: BackedUpDatabase | Finding,
): Promise<Finding | undefined> {
  if ("id" in database) return database;
  const { name, uid, namespace = "default" } = metadata;
  const place = savedIn(status.path ?? "", { name, uid, namespace, database: spec.databaseName });
  if (place === undefined) return pathForeign(name, status.path);
  const saved = { ...spec, s3: storeOfSaved(spec.s3, status) };
  const begun = await beginBackup(deps, database, saved, { ...place, namespace, isSaved: true });
  return "id" in begun ? begun : undefined;
}

function factsOf(
  { clock }: Pick<BackupDeps, "clock">,
  { metadata, status = {} }: StoredBackup,
  spec: BackupSpec,
  name: string,
  seen: SeenProof | Finding | undefined,
) {
  const now = clock.now().getTime();
  return {
    name,
    phase: status.phase,
    attempts: status.attempts ?? 0,
    begunAt: status.startTime === undefined ? undefined : Date.parse(status.startTime),
    madeAt: metadata.creationTimestamp === undefined ? now : Date.parse(String(metadata.creationTimestamp)),
    deadlineMs: (spec.activeDeadlineSeconds ?? DEADLINE_SECONDS) * 1_000,
    now,
    seen: seen === undefined || "id" in seen ? undefined : seen,
    obstacle: seen !== undefined && "id" in seen ? seen : undefined,
  };
}

/** An object that is made again under a name asks for another backup: what is there under that of the former one is not taken for it. */
function placeOf({ metadata }: StoredBackup, { s3, databaseName }: BackupSpec): BackupPlace {
  const { name, namespace = "default", uid = "" } = metadata;
  const below = s3.subdir === undefined ? "" : `${s3.subdir}/`;
  return {
    namespace,
    name: nameInStore({ name, uid }),
    folder: `${below}${namespace}/${databaseName}`,
    isSaved: false,
  };
}

function ownIn(seen: BackupRecord | Finding | undefined, { name }: BackupPlace): BackupRecord | undefined {
  return seen === undefined || "id" in seen || seen.name !== name ? undefined : seen;
}

const RUNNING = { phase: "Running", reason: "Running", message: "the cluster takes it", isStalled: false } as const;

function sayCompleted(
  path: string,
  seen: BackupRecord | undefined,
): Pick<BackupReport, "phase" | "reason" | "message" | "isStalled"> {
  const sizes = `${seen?.files?.length ?? 0} files with ${seen?.bytes ?? 0} bytes`;
  const message = `${sizes} and a manifest are in ${path}`;
  return { phase: "Completed", reason: "Completed", message, isStalled: false };
}

function blank({ status = {} }: StoredBackup): Pick<BackupReport, "path" | "seen" | "isBegun"> {
  return { path: status.path ?? "", seen: undefined, isBegun: false };
}

const DEADLINE_SECONDS = 86_400;
/** How soon a cluster is asked again that has refused, in milliseconds. */
const REFUSED_MS = 5_000;
