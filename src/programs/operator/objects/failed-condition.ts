import type { Condition } from "../../../core/api/parts.ts";
import type { Clock } from "#kit/base/clock";
import { readiness } from "../../../core/planner/findings/readiness.ts";
import type { EventRecorder } from "#kit/kube/events";
import type { Informer } from "#kit/kube/informer";
import type { Kube, ResourceType } from "#kit/kube/kube";
import { changeObject } from "#kit/kube/records";
import { refOfKey } from "#kit/kube/ref";
import { withStatements } from "./conditions.ts";

export interface FailedConditionDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

interface WithConditions {
  readonly status?: { readonly conditions?: Condition[] | undefined };
}

/** Writes on an object that the last passes over it failed, and why: `Ready` is False until one does not. */
export function reportFailedPass<T extends WithConditions>(
  { kube, clock, events }: FailedConditionDeps,
  type: ResourceType<T>,
  cache: Informer<T>,
): (key: string, message: string) => Promise<void> {
  return async (key, message) => {
    const object = cache.get(refOfKey(key));
    if (object === undefined) return;
    const known = object.status?.conditions?.find((condition) => condition.type === "Ready");
    const isNew = known?.reason !== FAILED || known.message !== message;
    const ready = { type: "Ready", status: "False", reason: FAILED, message } as const;
    const change = isNew ? [{ type: "Warning", reason: FAILED, message } as const] : [];
    await events.recordAhead(object, change, () =>
      changeObject(
        kube,
        type,
        refOfKey(key),
        (current) => {
          const statements = readiness(ready, { isMoving: true, findings: [] });
          const conditions = withStatements(current.status?.conditions, statements, clock.now());
          return { ...current, status: { ...current.status, conditions } };
        },
        { subresource: "status" },
      ),
    );
  };
}

const FAILED = "PassFailed";
