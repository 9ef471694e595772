import { startInformer } from "../../../../controller-kit/src/kube/informer.ts";
import type { ResourceType } from "../../../../controller-kit/src/kube/kube.ts";
import { keyOf } from "../../../../controller-kit/src/kube/ref.ts";
import { AT_REST, type Outcome } from "../../../../controller-kit/src/reconcile/outcome.ts";
import type { ControllerDefinition, ControllerContext } from "../context/context.ts";
import type { Enqueue } from "../context/enqueue.ts";
import { typedInformers, type TypedInformer } from "../context/informers.ts";
import { discoverTypes } from "./discovery.ts";
import { typeKeyOf } from "./graph.ts";

/** The kinds that the garbage collector follows. */
export interface Kinds {
  /** The type that serves a kind; undefined while none is known. */
  typeOf(apiVersion: string, kind: string): ResourceType<object> | undefined;
  /** Whether every kind that the server has was listed at least once. */
  isComplete(): boolean;
}

/** Follows every kind that the server has, custom ones as they come and go; `onSource` and `onLost` are called for each. */
export function customKindsController(
  context: ControllerContext,
  onSource: (source: TypedInformer) => void,
  onLost: (source: TypedInformer) => void,
): ControllerDefinition & Kinds {
  return new FollowedKinds(context, onSource, onLost);
}

class FollowedKinds implements ControllerDefinition, Kinds {
  readonly name = "kinds";
  readonly #context: ControllerContext;
  readonly #onSource: (source: TypedInformer) => void;
  readonly #onLost: (source: TypedInformer) => void;
  readonly #known = new Map<string, Followed>();
  #isDiscovered = false;

  constructor(
    context: ControllerContext,
    onSource: (source: TypedInformer) => void,
    onLost: (source: TypedInformer) => void,
  ) {
    this.#context = context;
    this.#onSource = onSource;
    this.#onLost = onLost;
    for (const source of typedInformers(context.informers)) this.#known.set(typeKeyOf(source.type), followKind(source));
  }

  readonly reconcile = async (): Promise<Outcome> => {
    const types = await discoverTypes(this.#context.kube);
    this.#forgetAllBut(new Set(types.map(typeKeyOf)));
    for (const type of types.filter((each) => !this.#known.has(typeKeyOf(each)))) this.#follow(type);
    this.#isDiscovered = true;
    return AT_REST;
  };

  readonly wire = (enqueue: Enqueue): void => {
    for (const { source } of this.#known.values()) this.#onSource(source);
    enqueue("all");
    this.#context.informers.definitions.onChange((ref) => {
      enqueue("all");
      enqueue(keyOf(ref), 1_000); // a definition is served a moment after it is stored
    });
  };

  isComplete(): boolean {
    return this.#isDiscovered && [...this.#known.values()].every(({ isSynced }) => isSynced);
  }

  typeOf(apiVersion: string, kind: string): ResourceType<object> | undefined {
    const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
    return [...this.#known.values()]
      .map(({ source }) => source.type)
      .find((type) => type.group === group && type.kind === kind);
  }

  #forgetAllBut(served: ReadonlySet<string>): void {
    for (const [key, { source, stop }] of this.#known) {
      if (stop === undefined || served.has(key)) continue;
      stop.abort();
      this.#known.delete(key);
      this.#onLost(source);
    }
  }

  #follow(type: ResourceType<object>): void {
    const stop = new AbortController();
    const { kube, clock, log, signal } = this.#context;
    const informer = startInformer(kube, type, { clock, log, signal: AbortSignal.any([signal, stop.signal]) });
    this.#known.set(typeKeyOf(type), followKind({ type, informer }, stop));
    this.#onSource({ type, informer });
  }
}

interface Followed {
  readonly source: TypedInformer;
  /** Absent for informers that are shared and stay. */
  readonly stop?: AbortController;
  isSynced: boolean;
}

function followKind(source: TypedInformer, stop?: AbortController): Followed {
  const entry: Followed = { source, ...(stop === undefined ? {} : { stop }), isSynced: false };
  source.informer.synced.then(
    () => {
      entry.isSynced = true;
    },
    () => undefined, // stopped before its first list
  );
  return entry;
}
