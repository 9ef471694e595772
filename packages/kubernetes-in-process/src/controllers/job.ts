import type { Job, JobStatus } from "kubernetes-types/batch/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { backoffMs } from "../../../controller-kit/src/base/backoff.ts";
import { Jobs, Pods } from "../../../controller-kit/src/kube/builtin.ts";
import { isTrue, withCondition } from "../../../controller-kit/src/kube/conditions.ts";
import { eventRecorder, type EventRecorder } from "../../../controller-kit/src/kube/events.ts";
import type { Stored } from "../../../controller-kit/src/kube/kube.ts";
import { isReady } from "../../../controller-kit/src/kube/pods.ts";
import { refOf, refOfKey } from "../../../controller-kit/src/kube/ref.ts";
import { timestamp } from "../../../controller-kit/src/kube/timestamp.ts";
import { AT_REST, lookAgain, type Outcome } from "../../../controller-kit/src/reconcile/outcome.ts";
import { claimOwned } from "./objects/claim.ts";
import type { ControllerDefinition, ControllerContext } from "./context/context.ts";
import { createPod } from "./pods/create.ts";
import { enqueueChanged, enqueueOwner } from "./context/informers.ts";
import { podFrom, randomSuffix } from "./pods/template.ts";
import { isActive } from "./pods/state.ts";
import { writeStatus } from "./objects/write-status.ts";

/** Runs the pods of a Job until enough of them have succeeded, or too many have failed. */
export function jobController(context: ControllerContext): ControllerDefinition {
  const events = eventRecorder(context.kube, { component: "job-controller", ...context });
  return {
    name: "job",
    reconcile: (key) => reconcile(context, events, key),
    wire: (enqueue) => {
      enqueueChanged(context.informers.jobs, enqueue);
      enqueueOwner(context.informers.pods, "Job", enqueue);
    },
  };
}

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 360_000;

/** The pods of a Job by what became of them. */
interface Tally {
  readonly active: readonly Stored<Pod>[];
  readonly succeeded: number;
  readonly failed: readonly Stored<Pod>[];
}

async function reconcile(context: ControllerContext, events: EventRecorder, key: string): Promise<Outcome> {
  const { kube, clock } = context;
  const job = await kube.get(Jobs, refOfKey(key));
  if (job?.spec === undefined || job.metadata.deletionTimestamp !== undefined) return AT_REST;
  if (isEnded(job.status)) return expire(context, job);
  const tally = tallyOf(await claimOwned(kube, Pods, job, job.spec.selector ?? {}));
  const end = endOf(job, tally);
  if (end !== undefined) {
    for (const pod of tally.active) await kube.delete(Pods, refOf(pod), { uid: pod.metadata.uid });
    events.record(
      job,
      end.type === "Failed" ? "Warning" : "Normal",
      end.type === "Failed" ? end.reason : "Completed",
      end.message,
    );
  }
  const pauseMs = end === undefined ? await start(context, events, job, tally) : 0;
  await writeStatus(kube, Jobs, job, { ...job, status: statusOf(job, tally, end, clock.now()) });
  return pauseMs > 0 ? lookAgain(pauseMs) : AT_REST;
}

/** Creates the pods that may run now; the answer is how many milliseconds a failed one still holds the next one back. */
async function start(
  context: ControllerContext,
  events: EventRecorder,
  job: Stored<Job>,
  tally: Tally,
): Promise<number> {
  const { parallelism = 1, completions = parallelism, suspend = false, template } = job.spec ?? { template: {} };
  const missing = suspend ? 0 : Math.min(parallelism, completions - tally.succeeded) - tally.active.length;
  if (missing <= 0) return 0;
  const pauseMs = pauseAfter(tally.failed, context.clock.now());
  if (pauseMs > 0) return pauseMs;
  for (let n = 0; n < missing; n += 1) {
    const pod = await createPod(
      context.kube,
      events,
      job,
      podFrom(template, job, `${job.metadata.name}-${randomSuffix()}`),
    );
    events.record(job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
  }
  return 0;
}

function pauseAfter(failed: readonly Stored<Pod>[], now: Date): number {
  if (failed.length === 0) return 0;
  const ends = failed.flatMap(({ status, metadata }) => [
    ...(status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []),
    metadata.creationTimestamp ?? "",
  ]);
  const last = Math.max(...ends.map((text) => Date.parse(text)).filter(Number.isFinite));
  return Math.max(0, last + backoffMs(failed.length - 1, FIRST_PAUSE_MS, LONGEST_PAUSE_MS) - now.getTime());
}

function tallyOf(pods: readonly Stored<Pod>[]): Tally {
  return {
    active: pods.filter(isActive),
    succeeded: pods.filter(({ status }) => status?.phase === "Succeeded").length,
    failed: pods.filter(({ status }) => status?.phase === "Failed"),
  };
}

interface End {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

function endOf({ spec }: Stored<Job>, { succeeded, failed }: Tally): End | undefined {
  const { parallelism = 1, completions = parallelism, backoffLimit = 6 } = spec ?? {};
  if (succeeded >= completions)
    return { type: "Complete", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
  const isTooMuch = failed.length > backoffLimit;
  return isTooMuch
    ? { type: "Failed", reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" }
    : undefined;
}

function statusOf(job: Stored<Job>, { active, succeeded, failed }: Tally, end: End | undefined, now: Date): JobStatus {
  const at = timestamp(now);
  return {
    ...job.status,
    startTime: job.status?.startTime ?? at,
    active: end === undefined ? active.length : 0,
    ready: active.filter(isReady).length,
    terminating: 0,
    succeeded,
    failed: failed.length,
    uncountedTerminatedPods: {},
    ...(end === undefined
      ? {}
      : { conditions: [...withCondition(job.status?.conditions, { ...end, status: "True", lastProbeTime: at }, now)] }),
    ...(end?.type === "Complete" ? { completionTime: at } : {}),
  };
}

function isEnded(status: JobStatus | undefined): boolean {
  return isTrue(status?.conditions, "Complete") || isTrue(status?.conditions, "Failed");
}

/** Deletes an ended Job after the time that it asks for, if it does. */
async function expire({ kube, clock }: ControllerContext, job: Stored<Job>): Promise<Outcome> {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  if (seconds === undefined) return AT_REST;
  const ended =
    job.status?.conditions?.find(({ type, status }) => type !== "Suspended" && status === "True")?.lastTransitionTime ??
    "";
  const leftMs = Date.parse(ended) + seconds * 1000 - clock.now().getTime();
  if (leftMs > 0) return lookAgain(leftMs);
  await kube.delete(Jobs, refOf(job), { uid: job.metadata.uid, propagation: "Background" });
  return AT_REST;
}
