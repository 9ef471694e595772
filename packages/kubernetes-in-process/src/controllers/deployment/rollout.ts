/** What matters of one ReplicaSet of a Deployment. */
export interface ReplicaSetView {
  readonly name: string;
  /** Pods that it is asked to have. */
  readonly wanted: number;
  readonly available: number;
  /** Pods of it that still run, those that are asked to go included. */
  readonly existing: number;
}

export interface RolloutView {
  /** Pods that the Deployment asks for. */
  readonly replicas: number;
  /** Pods above `replicas` that may exist, and below it that may be missing; absent for the strategy Recreate. */
  readonly rolling?: { readonly maxSurge: number; readonly maxUnavailable: number };
  /** The set of the current template, which exists with 0 pods at least. */
  readonly fresh: ReplicaSetView;
  /** The others, oldest first. */
  readonly old: readonly ReplicaSetView[];
}

export interface Scaling {
  readonly name: string;
  readonly replicas: number;
}

/** The next changes of a rollout, after which the world is looked at again; empty when there is nothing to do now. */
export function nextScalings(view: RolloutView): Scaling[] {
  return view.rolling === undefined ? recreate(view) : roll(view, view.rolling);
}

function recreate({ fresh, old, replicas }: RolloutView): Scaling[] {
  const running = old.filter(({ wanted }) => wanted > 0);
  if (running.length > 0) return running.map(({ name }) => ({ name, replicas: 0 }));
  const isEmpty = old.every(({ existing }) => existing === 0);
  return isEmpty && fresh.wanted !== replicas ? [{ name: fresh.name, replicas }] : [];
}

type Limits = NonNullable<RolloutView["rolling"]>;

function roll(view: RolloutView, limits: Limits): Scaling[] {
  const { fresh, replicas } = view;
  const target = Math.min(replicas, fresh.wanted + Math.max(0, replicas + limits.maxSurge - sum(view, "wanted")));
  const isTooMany = fresh.wanted > replicas;
  if (isTooMany || target > fresh.wanted) return [{ name: fresh.name, replicas: isTooMany ? replicas : target }];
  return shrinkOld(view, limits);
}

/** Pods that do not serve go first: they cost nothing. */
function shrinkOld(view: RolloutView, { maxUnavailable }: Limits): Scaling[] {
  const { fresh, old, replicas } = view;
  const least = replicas - maxUnavailable;
  let spare = sum(view, "wanted") - least - (fresh.wanted - fresh.available);
  const targets = new Map(old.map(({ name, wanted }) => [name, wanted]));
  const shrink = (name: string, by: number): void => {
    targets.set(name, (targets.get(name) ?? 0) - by);
    spare -= by;
  };
  for (const { name, wanted, available } of old) shrink(name, clamp(Math.min(spare, wanted - available)));
  let surplus = Math.min(spare, sum(view, "available") - least);
  for (const { name } of old) {
    const by = clamp(Math.min(surplus, targets.get(name) ?? 0));
    shrink(name, by);
    surplus -= by;
  }
  return old
    .map(({ name, wanted }) => ({ name, wanted, replicas: targets.get(name) ?? wanted }))
    .filter((set) => set.replicas < set.wanted)
    .map(({ name, replicas: count }) => ({ name, replicas: count }));
}

function sum({ fresh, old }: RolloutView, field: "wanted" | "available"): number {
  return [fresh, ...old].reduce((total, set) => total + set[field], 0);
}

function clamp(value: number): number {
  return Math.max(0, value);
}
