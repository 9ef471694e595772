import type { BackupPhase, BackupStatus } from "../../../core/api/backup-spec.ts";
import type { Condition } from "../../../core/api/parts.ts";
import type { StoreEnterpriseBackup } from "../../../core/api/kinds.ts";
import { runEvents, runStatements } from "../../../core/backup/run-statements.ts";
import { placeOfStore } from "../../../core/backup/saved-place.ts";
import type { Announcement } from "../../../core/planner/cluster/announcements.ts";
import type { ConditionWords, Statement } from "../../../core/planner/findings/statement.ts";
import type { Clock } from "#kit/base/clock";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube, Stored } from "#kit/kube/kube";
import { isSame } from "#kit/kube/same";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Backups } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { BackupRecord } from "../../../ports/management/records/backups.ts";
import { withStatements } from "../objects/conditions.ts";

/** An object that asks for a backup, as it is stored. */
export type StoredBackup = Stored<StoreEnterpriseBackup>;

/** What a pass over a backup has come to. */
export interface BackupReport extends ConditionWords {
  readonly phase: BackupPhase;
  readonly path: string;
  /** It does not go on before a person acts. */
  readonly isStalled: boolean;
  /** As the cluster knows it; undefined when it does not. */
  readonly seen: BackupRecord | undefined;
  /** It was begun in this pass. */
  readonly isBegun: boolean;
}

/** What a pass over the proof of a backup has come to. */
export interface ProofReport extends ConditionWords {
  /** Whether it can be restored. */
  readonly status: Condition["status"];
  /** As the cluster knows the backup; undefined when it does not. */
  readonly seen: BackupRecord | undefined;
  /** It was begun in this pass. */
  readonly isBegun: boolean;
}

/** With what it is said. */
export interface BackupReportDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cache: Pick<InformerCache, "backups">;
}

/** Writes the status when it differs, and leaves an event when the backup begins or ends. */
export async function reportBackup(
  { kube, clock, events, cache }: BackupReportDeps,
  object: StoredBackup,
  report: BackupReport,
): Promise<void> {
  const before = object.status ?? {};
  const status = statusOf(object, before, report, clock.now());
  if (isSame(before, status)) return;
  const write = () => kube.update(Backups, { ...object, status }, { subresource: "status" });
  cache.backups.learn(await events.recordAhead(object, runEvents("Backup", before.phase, report), write));
}

/** Writes how the proof stands when that differs, and leaves an event when it has come to its end. */
export async function reportProof(
  { kube, clock, events, cache }: BackupReportDeps,
  object: StoredBackup,
  report: ProofReport,
): Promise<void> {
  const before = object.status ?? {};
  const now = clock.now();
  const statements = proofStatements(report, object.metadata.generation ?? 0);
  const status: BackupStatus = {
    ...before,
    verification: verificationOf(object, report, now),
    conditions: withStatements(before.conditions, statements, now),
  };
  if (isSame(before, status)) return;
  const write = () => kube.update(Backups, { ...object, status }, { subresource: "status" });
  cache.backups.learn(await events.recordAhead(object, proofEvents(report), write));
}

/** The first attempt for a request begins the answer to it; until then the one before stands. */
function verificationOf(
  { spec, status: { verification: before } = {} }: StoredBackup,
  { status, seen, isBegun }: ProofReport,
  now: Date,
): BackupStatus["verification"] {
  const { files = [], ended } = seen?.verification ?? {};
  const startTime = now.toISOString();
  const { verifyRequest: request } = spec;
  const isNew = isBegun && before?.request !== request;
  const asked = isNew && request !== undefined ? { request, requestTime: startTime, attempts: 0 } : before;
  return {
    ...asked,
    ...(isBegun ? { startTime, attempts: (asked?.attempts ?? 0) + 1 } : {}),
    ...(status === "True"
      ? {
          completionTime: ended ?? now.toISOString(),
          engine: files[0]?.engine ?? "",
          keys: files.reduce((sum, { keys }) => sum + keys, 0),
        }
      : {}),
  };
}

function proofEvents({ status, message }: ProofReport): readonly Announcement[] {
  if (status === "True") return [{ type: "Normal", reason: "BackupRestorable", message }];
  return status === "False" ? [{ type: "Warning", reason: "BackupNotRestorable", message }] : [];
}

/** One that cannot be restored is no backup that anything should build on. */
function proofStatements({ status, reason, message }: ProofReport, observedGeneration: number): readonly Statement[] {
  const said = { reason, message, observedGeneration };
  const restorable = { type: "Restorable", status, ...said };
  if (status !== "False") return [restorable];
  return [restorable, { type: "Ready", status: "False", ...said }, { type: "Stalled", status: "True", ...said }];
}

function statusOf(
  { metadata, spec }: StoredBackup,
  before: BackupStatus,
  report: BackupReport,
  now: Date,
): BackupStatus {
  const { phase, path, seen, isBegun, isStalled, reason, message } = report;
  const observedGeneration = metadata.generation ?? 0;
  const isComplete = phase === "Completed";
  const standing = { isComplete, isReady: isComplete, isStalled };
  const statements = runStatements({ reason, message }, standing, observedGeneration);
  // an operator that was killed right after it had let it begin has not written that down
  const isThere = phase === "Running" || isComplete;
  const place = isBegun || (isThere && before.place === undefined) ? placeOfStore(spec.s3) : before.place;
  return {
    ...before,
    phase,
    path,
    ...(place === undefined ? {} : { place }),
    ...(isBegun ? { startTime: now.toISOString(), attempts: (before.attempts ?? 0) + 1 } : {}),
    ...(seen === undefined ? {} : sizesOf(seen)),
    ...(isComplete ? { completionTime: seen?.ended ?? now.toISOString() } : {}),
    observedGeneration,
    conditions: withStatements(before.conditions, statements, now),
  };
}

function sizesOf({ bytes, keys, readable_from: readers, encryption: by }: BackupRecord): BackupStatus {
  return {
    bytes,
    ...(keys === undefined ? {} : { keys }),
    ...(by === undefined ? {} : { encryption: { keyName: by.key_name, keyId: by.key_id } }),
    ...(readers === undefined ? {} : { readableFrom: readers.map(({ family, version }) => `${family} ${version}`) }),
  };
}
