import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import type { Ref, ResourceType, Stored } from "../../kube/kube.ts";
import { refOf } from "../../kube/ref.ts";
import { settled, waiting, type Outcome } from "../../reconcile/outcome.ts";
import type { Enqueue, Loop, World } from "../context.ts";
import { OwnerGraph, type Node } from "./graph.ts";
import { kindsLoop, type Kinds } from "./sources.ts";

/**
 * Deletes objects whose owners are all gone. A foreground deletion waits for the dependents that block it, an orphaning
 * one cuts them loose first; both are finalizers that the server sets.
 */
export function garbageLoops(world: World): Loop[] {
  const graph = new OwnerGraph();
  let enqueue: Enqueue = () => undefined;
  const kinds = kindsLoop(
    world,
    ({ type, informer }) => {
      informer.onChange((ref, current, previous) => {
        note(graph, type, ref, current, previous, enqueue);
      });
    },
    ({ type, informer }) => {
      for (const object of informer.list()) note(graph, type, refOf(object), undefined, object, enqueue);
    },
  );
  const garbage: Loop = {
    name: "garbage",
    workers: 4,
    reconcile: (key) => reconcile(world, graph, kinds, key, enqueue),
    wire: (given) => {
      enqueue = given;
    },
  };
  return [garbage, kinds];
}

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";
/** An owner of a kind that is not known yet may become known. */
const UNKNOWN_KIND_MS = 30_000;

type Seen = Stored<object> | undefined;

/** Keeps the graph, and asks for a look at everything that a change may concern. */
function note(
  graph: OwnerGraph,
  type: ResourceType<object>,
  ref: Ref,
  current: Seen,
  previous: Seen,
  enqueue: Enqueue,
): void {
  if (current === undefined) graph.remove(type, ref);
  else enqueue(graph.put(type, current).key);
  const gone = current?.metadata.uid === previous?.metadata.uid ? undefined : previous;
  for (const { uid } of gone?.metadata.ownerReferences ?? []) {
    const owner = graph.withUid(uid);
    if (owner !== undefined) enqueue(owner.key);
  }
  const leaving = gone ?? (current !== undefined && isLeaving(current) ? current : undefined);
  if (leaving === undefined) return;
  for (const { key } of graph.dependentsOf(leaving.metadata.uid)) enqueue(key);
}

async function reconcile(
  world: World,
  graph: OwnerGraph,
  kinds: Kinds,
  key: string,
  enqueue: Enqueue,
): Promise<Outcome> {
  const known = graph.get(key);
  if (known === undefined || !concerns(known.object)) return settled;
  const object = await world.kube.get(known.type, refOf(known.object));
  if (object === undefined) return settled;
  const node = { ...known, object };
  if (isLeaving(object)) return leave(world, graph, node, enqueue);
  const states = await Promise.all(
    (object.metadata.ownerReferences ?? []).map((owner) => stateOf(world, graph, kinds, node, owner)),
  );
  if (states.some(({ state }) => state === "unknown"))
    return waiting(UNKNOWN_KIND_MS, "UnknownOwner", "the kind of an owner is not known");
  await judge(world, graph, node, states);
  return settled;
}

function concerns({ metadata }: Stored<object>): boolean {
  return (
    (metadata.ownerReferences ?? []).length > 0 ||
    (metadata.finalizers ?? []).some((finalizer) => finalizer === ORPHAN || finalizer === FOREGROUND)
  );
}

function isLeaving({ metadata }: Stored<object>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

async function leave(world: World, graph: OwnerGraph, node: Node, enqueue: Enqueue): Promise<Outcome> {
  const { uid, finalizers = [] } = node.object.metadata;
  const dependents = graph.dependentsOf(uid);
  if (finalizers.includes(ORPHAN)) {
    for (const dependent of dependents) await cutLoose(world, dependent, new Set([uid]));
    await finalize(world, node, ORPHAN);
  } else if (finalizers.includes(FOREGROUND)) {
    const isBlocking = ({ object }: Node): boolean =>
      (object.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
    if (dependents.some(isBlocking)) for (const { key } of dependents) enqueue(key);
    else await finalize(world, node, FOREGROUND);
  }
  return settled;
}

/** Whether an owner is there, gone, waits for its dependents to go first, or is of an unknown kind. */
interface OwnerState {
  readonly uid: string;
  readonly state: "there" | "gone" | "waiting" | "unknown";
}

async function stateOf(
  world: World,
  graph: OwnerGraph,
  kinds: Kinds,
  node: Node,
  { uid, apiVersion, kind, name }: OwnerReference,
): Promise<OwnerState> {
  const cached = graph.withUid(uid)?.object;
  if (cached !== undefined) return { uid, state: stateIn(cached) };
  if (graph.isGone(uid)) return { uid, state: "gone" };
  const type = kinds.typeOf(apiVersion, kind);
  if (type === undefined) return { uid, state: "unknown" };
  const { namespace } = node.object.metadata;
  const owner = await world.kube.get(type, type.namespaced && namespace !== undefined ? { name, namespace } : { name });
  return { uid, state: owner?.metadata.uid === uid ? stateIn(owner) : "gone" };
}

function stateIn(owner: Stored<object>): "there" | "waiting" {
  return isLeaving(owner) && owner.metadata.finalizers?.includes(FOREGROUND) === true ? "waiting" : "there";
}

async function judge(world: World, graph: OwnerGraph, node: Node, states: readonly OwnerState[]): Promise<void> {
  const { uid } = node.object.metadata;
  const lost = states.filter(({ state }) => state !== "there");
  if (lost.length === 0) return;
  if (lost.length < states.length) {
    await cutLoose(world, node, new Set(lost.map((owner) => owner.uid)));
    return;
  }
  const isAwaited = lost.some(({ state }) => state === "waiting") && graph.dependentsOf(uid).length > 0;
  world.log.debug("deleting an object whose owners are gone", { object: node.key });
  await world.kube.delete(node.type, refOf(node.object), { uid, propagation: isAwaited ? "Foreground" : "Background" });
}

async function cutLoose({ kube }: World, { type, object }: Node, owners: ReadonlySet<string>): Promise<void> {
  const { ownerReferences = [], uid, resourceVersion } = object.metadata;
  const kept = ownerReferences.filter((owner) => !owners.has(owner.uid));
  await kube.patch(type, refOf(object), {
    type: "merge",
    body: { metadata: { uid, resourceVersion, ownerReferences: kept } },
  });
}

async function finalize({ kube }: World, { type, object }: Node, finalizer: string): Promise<void> {
  const { finalizers = [], uid, resourceVersion } = object.metadata;
  const kept = finalizers.filter((each) => each !== finalizer);
  await kube.patch(type, refOf(object), {
    type: "merge",
    body: { metadata: { uid, resourceVersion, finalizers: kept } },
  });
}
