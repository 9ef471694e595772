import type { StoreEnterpriseDatabase } from "../../src/core/api/kinds.ts";
import type { Informer } from "#kit/kube/informer";
import type { Kube, Ref } from "#kit/kube/kube";
import { refOf } from "#kit/kube/ref";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import type { SimulatedAgents } from "../../test/kit/operator/simulated-agents.ts";
import { until } from "#kit/testing/until";

/** Milliseconds from sending an edit until something happens, each list sorted. */
export interface Latencies {
  /** Until the management API is asked to change the database. */
  readonly acted: readonly number[];
  /** Until a bare watch has seen the edit. */
  readonly seen: readonly number[];
}

const EDITS = 300;
/** No edit begins later than this, in milliseconds. */
const LONGEST_MS = 120_000;

/** Edits databases one after the other, as `kubectl patch` does. */
export async function measureEdits(
  kube: Kube,
  agents: SimulatedAgents,
  followed: Informer<StoreEnterpriseDatabase>,
): Promise<Latencies> {
  const acted: number[] = [];
  const seen: number[] = [];
  let waiting: { readonly uid: string; readonly name: string; readonly began: number; done: boolean } | undefined;
  agents.onUpdate((uid) => {
    if (waiting === undefined || waiting.uid !== uid || waiting.done) return;
    waiting.done = true;
    acted.push(performance.now() - waiting.began);
  });
  let isSeen = true;
  followed.onChange((ref, current, previous) => {
    if (isSeen || ref.name !== waiting?.name) return;
    if (current?.metadata.generation === previous?.metadata.generation) return;
    isSeen = true;
    seen.push(performance.now() - waiting.began);
  });
  const all = followed.list();
  const end = performance.now() + LONGEST_MS;
  for (let edit = 0; edit < EDITS && performance.now() < end; edit++) {
    const redb = all[(edit * 7919) % all.length];
    if (redb === undefined) continue;
    const uid = followed.get(refOf(redb))?.status?.databaseUID ?? "";
    const memorySize = `${200 + edit}MB`;
    isSeen = false;
    const edited = { uid, name: redb.metadata.name, began: performance.now(), done: false };
    waiting = edited;
    await kube.patch(Databases, refOf(redb), { type: "merge", body: { spec: { memorySize } } });
    await until(`${edited.name} is acted on`, () => edited.done && isSeen, { withinMs: 60_000, everyMs: 2 });
    await until("the edit is handled", () => isHandled(followed, refOf(redb)), { withinMs: 60_000, everyMs: 5 });
  }
  const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
  return { acted: sorted(acted), seen: sorted(seen) };
}

function isHandled(followed: Informer<StoreEnterpriseDatabase>, ref: Ref): boolean {
  const redb = followed.get(ref);
  return redb?.status?.status === "active" && redb.status.observedGeneration === redb.metadata.generation;
}
