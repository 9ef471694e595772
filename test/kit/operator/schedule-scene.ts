import assert from "node:assert/strict";
import { silentLog } from "#kit/base/log";
import { Events } from "#kit/kube/builtin";
import { eventRecorder } from "#kit/kube/events";
import { startInformer } from "#kit/kube/informer";
import type { Kube } from "#kit/kube/kube";
import { runController } from "#kit/reconcile/controller";
import { FakeClock } from "#kit/testing/fake-clock";
import { until } from "#kit/testing/until";
import { type OperatorWorld } from "./operator-world.ts";
import type { BackupPhase } from "../../../src/core/api/backup-spec.ts";
import type { BackupScheduleSpec, BackupScheduleStatus } from "../../../src/core/api/backup-schedule-spec.ts";
import { BACKUP_SCHEDULE_LABEL } from "../../../src/core/api/names.ts";
import { runName } from "../../../src/core/backup/schedule-runs.ts";
import { Backups, BackupSchedules, Databases, Restores } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { backupAgesIn } from "../../../src/programs/operator/backup/ages.ts";
import type { RetentionDeps } from "../../../src/programs/operator/backup/retain.ts";
import { scheduleReconciler } from "../../../src/programs/operator/backup/schedule.ts";

/** In milliseconds. */
export const HOUR = 3_600_000;
/** Where the schedule is. */
export const NAMESPACE = "default";
/** What it asks for. */
export const SPEC = {
  databaseName: "orders",
  s3: { bucketName: "backups", awsSecretName: "keys" },
  schedule: "0 * * * *",
  timeZone: "UTC",
};

/** What a backup asks for. */
export const PLACE = { s3: SPEC.s3 };

/** A schedule, hourly, of a real API, and the passes over it of an operator whose clock the test moves. What becomes of a backup is said by the test. */
export function scheduleIn({ kube }: OperatorWorld) {
  const now = new Date();
  const start = Math.floor(now.getTime() / HOUR) * HOUR;
  const clock = new FakeClock(now);
  const ref = { name: "hourly", namespace: NAMESPACE };
  const hourAt = (count: number): number => start + count * HOUR;
  const stored = () => kube.get(BackupSchedules, ref);
  const end = async (name: string, phase: BackupPhase, time = clock.now().toISOString()): Promise<void> => {
    const backup = await kube.get(Backups, { name, namespace: NAMESPACE });
    assert.ok(backup);
    const loaded = { type: "Restorable", status: "True", reason: "Loaded", message: "", lastTransitionTime: time };
    const done = phase === "Completed" ? { completionTime: time, conditions: [loaded] } : {};
    await kube.update(Backups, { ...backup, status: { phase, ...done } } as never, { subresource: "status" });
  };
  return {
    clock,
    stored,
    hour: (count: number) => new Date(hourAt(count)).toISOString(),
    untilHour: (count: number) => hourAt(count) - clock.now().getTime(),
    run: (count: number) => runName(ref.name, hourAt(count)),
    make: (more: Partial<BackupScheduleSpec> = {}) =>
      kube.create(BackupSchedules, { metadata: ref, spec: { ...SPEC, ...more } }),
    change: (spec: Partial<BackupScheduleSpec>) => kube.patch(BackupSchedules, ref, { type: "merge", body: { spec } }),
    operate: (through: Kube = kube, removeSaved?: RetentionDeps["removeSaved"]) =>
      startSchedules(through, clock, removeSaved),
    /** Backups as this schedule makes them, each good since it was due, so many hours ago. */
    async made(...hoursAgo: readonly number[]): Promise<void> {
      for (const hours of hoursAgo) {
        const name = runName(ref.name, hourAt(-hours));
        const labels = { [BACKUP_SCHEDULE_LABEL]: ref.name };
        const spec = { ...PLACE, databaseName: "orders" };
        await kube.create(Backups, { metadata: { name, namespace: NAMESPACE, labels }, spec });
        await end(name, "Completed", new Date(hourAt(-hours)).toISOString());
      }
    },
    backups: async () => (await kube.list(Backups, { namespace: NAMESPACE })).items,
    events: async () =>
      (await kube.list(Events, { namespace: NAMESPACE })).items
        .filter(({ involvedObject }) => involvedObject.name === ref.name)
        .map(({ reason, count }) => `${reason} x${count}`)
        .toSorted(),
    /** Waits until a condition has that reason. */
    async says(reason: string, message = /^/, status = "True", of = "Ready"): Promise<BackupScheduleStatus> {
      let seen: BackupScheduleStatus = {};
      const isSaid = async (): Promise<boolean> => {
        seen = (await stored())?.status ?? {};
        const ready = seen.conditions?.find(({ type }) => type === of);
        return ready?.reason === reason && message.test(ready.message) && ready.status === status;
      };
      await until(`the schedule says ${reason}`, isSaid).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(seen)}`);
      });
      return seen;
    },
    end,
  };
}

function neverRemove(): Promise<undefined> {
  throw new Error("nothing is to be removed");
}

async function startSchedules(kube: Kube, clock: FakeClock, removeSaved: RetentionDeps["removeSaved"] = neverRemove) {
  const ending = new AbortController();
  const { signal } = ending;
  const options = { namespace: NAMESPACE, clock, log: silentLog, signal };
  const cache = {
    restores: startInformer(kube, Restores, options),
    backups: startInformer(kube, Backups, options),
    backupSchedules: startInformer(kube, BackupSchedules, options),
    databases: startInformer(kube, Databases, options),
  };
  const events = eventRecorder(kube, { component: "test", clock, log: silentLog });
  const reconcile = scheduleReconciler({ kube, clock, events, cache, removeSaved, log: silentLog });
  const controller = runController({ name: "schedule", workers: 1, reconcile, clock, log: silentLog, signal });
  await Promise.all([cache.backups, cache.backupSchedules, cache.restores].map(({ synced }) => synced));
  cache.backupSchedules.onChange(({ name, namespace }) => {
    controller.enqueue(`${namespace ?? NAMESPACE}/${name}`);
  });
  cache.backups.onChange(() => {
    controller.enqueue(`${NAMESPACE}/hourly`);
  });
  const stop = async (): Promise<void> => {
    ending.abort(new Error("the test ends it"));
    await controller.stopped;
  };
  return {
    advance: (ms: number) => clock.advance(ms),
    /** Waits until it knows an object of that name with another uid. */
    sees: (name: string, before: string) =>
      until("the object that was made again is known", () => {
        const uid = cache.backups.get({ name, namespace: NAMESPACE })?.metadata.uid;
        return uid !== undefined && uid !== before;
      }),
    ages: () => backupAgesIn(cache, NAMESPACE, clock.now().getTime()),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
