import type { Probe } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { Handler, HandlerResult } from "./handler.ts";

/** What runs a probe once, and what is called when its verdict changes or a run fails. */
export interface ProbeSubject {
  readonly run: (handler: Handler, signal: AbortSignal) => Promise<HandlerResult>;
  /** Called at each change of verdict; the first verdict counts as one. */
  readonly onVerdict: (ok: boolean, output: string) => void;
  readonly onFailure: (output: string) => void;
}

const SECOND = 1_000;
const FIRST_LOOK_MS = 50;

/**
 * How a probe begins: `eager` looks often in its first period, so that what comes up fast is seen fast, and failures in
 * that time count for nothing; `patient` looks for the first time when a period is over.
 */
export type ProbePace = "eager" | "patient";

/**
 * Runs a probe again and again until `signal` aborts: the verdict turns after `successThreshold` successes or
 * `failureThreshold` failures in a row.
 */
export async function keepProbing(
  probe: Probe,
  subject: ProbeSubject,
  clock: Clock,
  signal: AbortSignal,
  pace: ProbePace,
): Promise<void> {
  const initialMs = (probe.initialDelaySeconds ?? 0) * SECOND;
  if (!(await sleepUnlessAborted(clock, pace === "eager" ? initialMs : Math.max(initialMs, period(probe)), signal)))
    return;
  if (pace === "eager") await firstSuccess(probe, subject, clock, signal);
  let verdict: boolean | undefined;
  let streak = { ok: true, length: 0 };
  for (let delay = 0; await sleepUnlessAborted(clock, delay, signal); delay = period(probe)) {
    const { ok, output } = await once(probe, subject, clock, signal);
    if (signal.aborted) return;
    streak = { ok, length: streak.ok === ok ? streak.length + 1 : 1 };
    if (!ok) subject.onFailure(output);
    if (verdict === ok || streak.length < threshold(probe, ok)) continue;
    verdict = ok;
    subject.onVerdict(ok, output);
  }
}

/** Resolves when the probe succeeds, or when its first period is over. */
async function firstSuccess(probe: Probe, subject: ProbeSubject, clock: Clock, signal: AbortSignal): Promise<void> {
  const end = clock.uptimeMs() + period(probe);
  for (let pause = FIRST_LOOK_MS; clock.uptimeMs() + pause < end; pause *= 2) {
    const { ok } = await once(probe, subject, clock, signal);
    if (ok || !(await sleepUnlessAborted(clock, pause, signal))) return;
  }
}

async function once(probe: Probe, subject: ProbeSubject, clock: Clock, signal: AbortSignal): Promise<HandlerResult> {
  const patience = new AbortController();
  const stop = (): void => {
    patience.abort();
  };
  const done = new AbortController();
  signal.addEventListener("abort", stop);
  void clock.sleep((probe.timeoutSeconds ?? 1) * SECOND, done.signal).then(stop, () => undefined); // answered in time
  try {
    return await subject.run(probe, patience.signal);
  } finally {
    done.abort();
    signal.removeEventListener("abort", stop);
  }
}

/** False when the wait was cut short. */
async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return clock.sleep(ms, signal).then(
    () => true,
    () => false, // aborted: the container is going away
  );
}

function period({ periodSeconds = 10 }: Probe): number {
  return Math.max(1, periodSeconds) * SECOND;
}

function threshold({ successThreshold = 1, failureThreshold = 3 }: Probe, ok: boolean): number {
  return ok ? successThreshold : failureThreshold;
}
