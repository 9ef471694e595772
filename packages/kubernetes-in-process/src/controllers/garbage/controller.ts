import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import type { Ref, ResourceType, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { refOf } from "../../../../controller-kit/src/kube/ref.ts";
import { AT_REST, lookAgain, type Outcome } from "../../../../controller-kit/src/reconcile/outcome.ts";
import type { ControllerDefinition, ControllerContext } from "../context/context.ts";
import type { Enqueue } from "../context/enqueue.ts";
import { OwnerGraph, type GraphNode } from "./graph.ts";
import { customKindsController, type Kinds } from "./followed-kinds.ts";

/**
 * Deletes objects whose owners are all gone. A foreground deletion waits for the dependents that block it, an orphaning
 * one cuts them loose first; both are finalizers that the server sets.
 */
export function garbageControllers(context: ControllerContext): ControllerDefinition[] {
  const graph = new OwnerGraph();
  let enqueue: Enqueue = () => undefined;
  const note = (type: ResourceType<object>, ref: Ref, current: Seen, previous: Seen): void => {
    for (const key of updateGraph(graph, type, ref, current, previous)) enqueue(key);
  };
  const kinds = customKindsController(
    context,
    ({ type, informer }) => {
      informer.onChange((ref, current, previous) => {
        note(type, ref, current, previous);
      });
    },
    ({ type, informer }) => {
      for (const object of informer.list()) note(type, refOf(object), undefined, object);
    },
  );
  const garbage: ControllerDefinition = {
    name: "garbage",
    workers: 4,
    reconcile: (key) => reconcile({ ...context, graph, kinds, enqueue }, key),
    wire: (given) => {
      enqueue = given;
    },
  };
  return [garbage, kinds];
}

interface Yard extends ControllerContext {
  readonly graph: OwnerGraph;
  readonly kinds: Kinds;
  readonly enqueue: Enqueue;
}

type Seen = Stored<object> | undefined;

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";
/** An owner of a kind that is not known yet may become known. */
const UNKNOWN_KIND_MS = 30_000;
const INCOMPLETE_MS = 200;

/** Brings a change into the graph; the answer is every key that it may concern. */
function updateGraph(graph: OwnerGraph, type: ResourceType<object>, ref: Ref, current: Seen, previous: Seen): string[] {
  const keys: string[] = [];
  if (current === undefined) graph.remove(type, ref);
  else keys.push(graph.put(type, current).key);
  const gone = current?.metadata.uid === previous?.metadata.uid ? undefined : previous;
  const ofOwners = (gone?.metadata.ownerReferences ?? []).flatMap(({ uid }) => ownerKeys(graph, uid));
  const leaving = gone ?? (current !== undefined && isTerminating(current) ? current : undefined);
  const dependents = leaving === undefined ? [] : graph.dependentsOf(leaving.metadata.uid);
  return [...keys, ...ofOwners, ...dependents.map(({ key }) => key)];
}

/** The owner may wait for this dependent. */
function ownerKeys(graph: OwnerGraph, uid: string): string[] {
  const owner = graph.withUid(uid);
  return owner === undefined ? [] : [owner.key];
}

async function reconcile(yard: Yard, key: string): Promise<Outcome> {
  const known = yard.graph.get(key);
  if (known === undefined || !concerns(known.object)) return AT_REST;
  const object = await yard.kube.get(known.type, refOf(known.object));
  if (object === undefined) return AT_REST;
  const node = { ...known, object };
  if (isTerminating(object)) return leave(yard, node);
  const states = await Promise.all((object.metadata.ownerReferences ?? []).map((owner) => stateOf(yard, node, owner)));
  const isUnclear = states.some(({ state }) => state === "unknown");
  if (isUnclear) return lookAgain(UNKNOWN_KIND_MS);
  await judge(yard, node, states);
  return AT_REST;
}

function concerns({ metadata }: Stored<object>): boolean {
  return (
    (metadata.ownerReferences ?? []).length > 0 ||
    (metadata.finalizers ?? []).some((finalizer) => finalizer === ORPHAN || finalizer === FOREGROUND)
  );
}

function isTerminating({ metadata }: Stored<object>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

async function leave(yard: Yard, node: GraphNode): Promise<Outcome> {
  const { uid, finalizers = [] } = node.object.metadata;
  if (!finalizers.includes(ORPHAN) && !finalizers.includes(FOREGROUND)) return AT_REST;
  // a dependent that is not known yet would be lost, or outlive its owner
  if (!yard.kinds.isComplete()) return lookAgain(INCOMPLETE_MS);
  const dependents = yard.graph.dependentsOf(uid);
  if (finalizers.includes(ORPHAN)) {
    for (const dependent of dependents) await cutLoose(yard, dependent, new Set([uid]));
    await finalize(yard, node, ORPHAN);
    return AT_REST;
  }
  const isBlocking = ({ object }: GraphNode): boolean =>
    (object.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
  if (dependents.some(isBlocking)) for (const { key } of dependents) yard.enqueue(key);
  else await finalize(yard, node, FOREGROUND);
  return AT_REST;
}

/** Whether an owner is there, gone, waits for its dependents to go first, or is of an unknown kind. */
interface OwnerState {
  readonly uid: string;
  readonly state: "there" | "gone" | "waiting" | "unknown";
}

async function stateOf(yard: Yard, node: GraphNode, owner: OwnerReference): Promise<OwnerState> {
  const { uid, apiVersion, kind, name } = owner;
  const cached = yard.graph.withUid(uid)?.object;
  if (cached !== undefined) return { uid, state: stateIn(cached) };
  if (yard.graph.isGone(uid)) return { uid, state: "gone" };
  const type = yard.kinds.typeOf(apiVersion, kind);
  if (type === undefined) return { uid, state: "unknown" };
  const found = await yard.kube.get(type, type.namespaced ? { ...refOf(node.object), name } : { name });
  return { uid, state: found?.metadata.uid === uid ? stateIn(found) : "gone" };
}

function stateIn(owner: Stored<object>): "there" | "waiting" {
  return isTerminating(owner) && owner.metadata.finalizers?.includes(FOREGROUND) === true ? "waiting" : "there";
}

async function judge(yard: Yard, node: GraphNode, states: readonly OwnerState[]): Promise<void> {
  const { uid } = node.object.metadata;
  const lost = states.filter(({ state }) => state !== "there");
  if (lost.length === 0) return;
  if (lost.length < states.length) {
    await cutLoose(yard, node, new Set(lost.map((owner) => owner.uid)));
    return;
  }
  const isAwaited = lost.some(({ state }) => state === "waiting") && yard.graph.dependentsOf(uid).length > 0;
  yard.log.debug("deleting an object whose owners are gone", { object: node.key });
  await yard.kube.delete(node.type, refOf(node.object), { uid, propagation: isAwaited ? "Foreground" : "Background" });
}

async function cutLoose(
  { kube }: ControllerContext,
  { type, object }: GraphNode,
  owners: ReadonlySet<string>,
): Promise<void> {
  const { ownerReferences = [], uid, resourceVersion } = object.metadata;
  const kept = ownerReferences.filter((owner) => !owners.has(owner.uid));
  await kube.patch(type, refOf(object), {
    type: "merge",
    body: { metadata: { uid, resourceVersion, ownerReferences: kept } },
  });
}

async function finalize({ kube }: ControllerContext, { type, object }: GraphNode, finalizer: string): Promise<void> {
  const { finalizers = [], uid, resourceVersion } = object.metadata;
  const kept = finalizers.filter((each) => each !== finalizer);
  await kube.patch(type, refOf(object), {
    type: "merge",
    body: { metadata: { uid, resourceVersion, finalizers: kept } },
  });
}
