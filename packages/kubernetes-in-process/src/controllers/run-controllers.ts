import type { Clock } from "../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../controller-kit/src/base/log.ts";
import type { Kube } from "../../../controller-kit/src/kube/kube.ts";
import { runController } from "../../../controller-kit/src/reconcile/controller.ts";
import type { ControllerContext } from "./context/context.ts";
import { deploymentController } from "./deployment/controller.ts";
import { disruptionBudgetController } from "./disruption-budget.ts";
import { garbageControllers } from "./garbage/controller.ts";
import { startInformers } from "./context/informers.ts";
import { jobController } from "./job.ts";
import { replicaSetController } from "./replica-set.ts";
import { serviceController } from "./service/controller.ts";
import { statefulSetController } from "./statefulset/controller.ts";
import { introduceClass, volumeBinder } from "./volume-binder.ts";

/**
 * Runs the local world's controllers until the signal aborts, and resolves once all passes have ended: workloads,
 * endpoints of Services, volumes of claims, disruption budgets, and the collection of what has no owner any more.
 */
export async function runControllers(options: {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { clock, log, signal } = options;
  const informers = startInformers(options.kube, options);
  const context: ControllerContext = { ...options, informers };
  const controllers = [
    deploymentController(context),
    replicaSetController(context),
    statefulSetController(context),
    jobController(context),
    serviceController(context),
    volumeBinder(context),
    disruptionBudgetController(context),
    ...garbageControllers(context),
  ];
  try {
    await Promise.all([introduceClass(options.kube), ...Object.values(informers).map(({ synced }) => synced)]);
  } catch (error) {
    if (signal.aborted) return; // stopped before the first list was read
    throw error;
  }
  const running = controllers.map(({ name, workers = 1, reconcile, wire }) => {
    const controller = runController({ name, reconcile, workers, clock, log, signal });
    wire(controller.enqueue);
    return controller;
  });
  await Promise.all(running.map(({ stopped }) => stopped));
}
