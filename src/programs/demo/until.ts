import { startInformer } from "../../ports/kube/informer.ts";
import type { Kube, Ref, ResourceType, Stored } from "../../ports/kube/kube.ts";
import type { Clock } from "../../core/base/clock.ts";
import type { Log } from "../../core/base/log.ts";

export interface Watching {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface Expectation<T> {
  /** What is awaited, in words for the message when it does not come. */
  readonly what: string;
  readonly withinMs: number;
  readonly isMet: (object: Stored<T>) => boolean;
  /** Called with each state on the way. */
  readonly onChange?: (object: Stored<T>) => void;
}

/** Resolves with the object once it is as expected; rejects when it is not within the time, saying how it is instead. */
export async function until<T>(
  watching: Watching,
  type: ResourceType<T>,
  ref: Ref,
  expected: Expectation<T>,
): Promise<Stored<T>> {
  const over = new AbortController();
  const signal = AbortSignal.any([watching.signal, over.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<Stored<T>>();
  let last: Stored<T> | undefined;
  const informer = startInformer(watching.kube, type, {
    ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
    fieldSelector: `metadata.name=${ref.name}`,
    log: watching.log,
    clock: watching.clock,
    signal,
  });
  informer.onChange((_ref, object) => {
    last = object;
    if (object === undefined) return;
    expected.onChange?.(object);
    if (expected.isMet(object)) resolve(object);
  });
  const deadline = setTimeout(() => {
    const status =
      last === undefined ? "it does not exist" : JSON.stringify("status" in last ? last.status : last.metadata);
    reject(
      new Error(`${expected.what}: not within ${expected.withinMs / 1000} s; ${type.kind} ${ref.name}: ${status}`),
    );
  }, expected.withinMs);
  const stopped = (): void => {
    reject(watching.signal.reason instanceof Error ? watching.signal.reason : new Error("stopped"));
  };
  watching.signal.addEventListener("abort", stopped, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    watching.signal.removeEventListener("abort", stopped);
    over.abort();
  }
}
