import { startInformer } from "../../../ports/kube/informer.ts";
import type { ResourceType } from "../../../ports/kube/kube.ts";
import { keyOf } from "../../../ports/kube/ref.ts";
import { settled, type Outcome } from "../../../mechanisms/reconcile/outcome.ts";
import type { Controller, ControllerContext } from "../context/context.ts";
import { typedInformers, type TypedInformer } from "../context/informers.ts";
import { discoverTypes } from "./discovery.ts";
import { typeKeyOf } from "./graph.ts";

/** Kinds that are followed for the garbage loop's sake, and what becomes of them. */
export interface Kinds {
  /** The type that serves a kind; undefined while none is known. */
  typeOf(apiVersion: string, kind: string): ResourceType<object> | undefined;
  /** Whether every kind that the server has was listed at least once. */
  isComplete(): boolean;
}

/** Follows every kind that the server has, custom ones as they come and go; `onSource` and `onLost` are told. */
export function customKindsController(
  context: ControllerContext,
  onSource: (source: TypedInformer) => void,
  onLost: (source: TypedInformer) => void,
): Controller & Kinds {
  const known = new Map<string, Followed>();
  let isDiscovered = false;
  for (const source of typedInformers(context.informers)) known.set(typeKeyOf(source.type), followed(source));

  const reconcile = async (): Promise<Outcome> => {
    const types = await discoverTypes(context.kube);
    const served = new Set(types.map(typeKeyOf));
    for (const [key, { source, stop }] of known) {
      if (stop === undefined || served.has(key)) continue;
      stop.abort();
      known.delete(key);
      onLost(source);
    }
    for (const type of types.filter((each) => !known.has(typeKeyOf(each)))) {
      const stop = new AbortController();
      const { kube, clock, log } = context;
      const informer = startInformer(kube, type, {
        clock,
        log,
        signal: AbortSignal.any([context.signal, stop.signal]),
      });
      known.set(typeKeyOf(type), followed({ type, informer }, stop));
      onSource({ type, informer });
    }
    isDiscovered = true;
    return settled;
  };

  return {
    name: "kinds",
    reconcile,
    wire: (enqueue) => {
      for (const { source } of known.values()) onSource(source);
      enqueue("all");
      context.informers.definitions.onChange((ref) => {
        enqueue("all");
        enqueue(keyOf(ref), 1_000); // a definition is served a moment after it is stored
      });
    },
    isComplete: () => isDiscovered && [...known.values()].every(({ isSynced }) => isSynced),
    typeOf: (apiVersion, kind) => {
      const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
      return [...known.values()]
        .map(({ source }) => source.type)
        .find((type) => type.group === group && type.kind === kind);
    },
  };
}

interface Followed {
  readonly source: TypedInformer;
  /** Absent for informers that are shared and stay. */
  readonly stop?: AbortController;
  isSynced: boolean;
}

function followed(source: TypedInformer, stop?: AbortController): Followed {
  const entry: Followed = { source, ...(stop === undefined ? {} : { stop }), isSynced: false };
  source.informer.synced.then(
    () => {
      entry.isSynced = true;
    },
    () => undefined, // stopped before its first list
  );
  return entry;
}
