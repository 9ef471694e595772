import { startInformer } from "#kit/kube/informer";
import type { Kube, Ref, ResourceType, Stored } from "#kit/kube/kube";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";

/** What waiting for an object needs. */
export interface WaitContext {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A state of an object to wait for. */
export interface WaitCondition<T> {
  /** The state in words, for the message when it is not reached. */
  readonly what: string;
  readonly withinMs: number;
  readonly isMet: (object: Stored<T>) => boolean;
  /** Called with each state before it. */
  readonly onChange?: (object: Stored<T>) => void;
}

/** Resolves with the object once it is in the expected state; rejects after the time limit, with the last state. */
export async function waitForObject<T>(
  context: WaitContext,
  type: ResourceType<T>,
  ref: Ref,
  expected: WaitCondition<T>,
): Promise<Stored<T>> {
  const over = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<Stored<T>>();
  let last: Stored<T> | undefined;
  const informer = startInformer(context.kube, type, {
    ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
    fieldSelector: `metadata.name=${ref.name}`,
    log: context.log,
    clock: context.clock,
    signal: AbortSignal.any([context.signal, over.signal]),
  });
  informer.onChange((_ref, object) => {
    last = object;
    if (object === undefined) return;
    expected.onChange?.(object);
    if (expected.isMet(object)) resolve(object);
  });
  const deadline = setTimeout(() => {
    const limit = `not within ${expected.withinMs / 1000} s`;
    reject(new Error(`${expected.what}: ${limit}; ${type.kind} ${ref.name}: ${stateOf(last)}`));
  }, expected.withinMs);
  const stopped = (): void => {
    reject(context.signal.reason instanceof Error ? context.signal.reason : new Error("stopped"));
  };
  context.signal.addEventListener("abort", stopped, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    context.signal.removeEventListener("abort", stopped);
    over.abort();
  }
}

function stateOf(object: object | undefined): string {
  if (object === undefined) return "it does not exist";
  return JSON.stringify(Reflect.get(object, "status") ?? Reflect.get(object, "metadata"));
}
