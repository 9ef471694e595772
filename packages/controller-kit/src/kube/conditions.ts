import { timestamp } from "./timestamp.ts";

/** The least that every condition of the API has. */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

type Stamped<C> = Omit<C, "lastTransitionTime"> & { lastTransitionTime: string };

/** The list with `next` in the place of its type; `lastTransitionTime` moves only when `status` does. */
export function withCondition<C extends AnyCondition>(
  list: readonly C[] | undefined,
  next: Omit<C, "lastTransitionTime"> & AnyCondition,
  now: Date,
): (C | Stamped<C>)[] {
  const before = list ?? [];
  const old = before.find((condition) => condition.type === next.type);
  const kept = old?.status === next.status ? old.lastTransitionTime : undefined;
  const stamped: Stamped<C> = { ...next, lastTransitionTime: kept ?? timestamp(now) };
  return old === undefined ? [...before, stamped] : before.map((each) => (each === old ? stamped : each));
}

/** Whether the condition `type` is "True". */
export function isTrue(
  list: readonly { readonly type?: unknown; readonly status?: unknown }[] | undefined,
  type: string,
): boolean {
  return (list ?? []).some((condition) => condition.type === type && condition.status === "True");
}
