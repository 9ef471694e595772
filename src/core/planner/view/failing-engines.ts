import { databasesOn, type ClusterDatabase, type ClusterView } from "./cluster-view.ts";
import { CRASHES, crashText, FAILED_STARTS, failureText } from "./engine-failure.ts";

/** An engine that ends again and again, for a sentence. */
export interface FailingEngine {
  readonly node: number;
  readonly text: string;
}

/** The engines that end again and again before they serve; nodes of older releases do not report it. */
export function failingEngines({ cluster }: Pick<ClusterView, "cluster">): readonly FailingEngine[] {
  return cluster.reachable ? cluster.databases.flatMap(failuresOf) : [];
}

/** The engines that serve and end again soon; nodes of releases before 0.5.0 do not report it. */
export function crashingEngines({ cluster }: Pick<ClusterView, "cluster">): readonly FailingEngine[] {
  if (!cluster.reachable) return [];
  return cluster.databases.flatMap(({ name, instances }) =>
    instances.flatMap(({ node, crashing }) =>
      crashing === undefined || crashing.times < CRASHES ? [] : [{ node, text: crashText(name, node, crashing) }],
    ),
  );
}

/** The engines on one node that end before they serve. */
export function failingOn(view: ClusterView, uid: number): readonly FailingEngine[] {
  return databasesOn(view, uid, () => true)
    .flatMap(failuresOf)
    .filter(({ node }) => node === uid);
}

function failuresOf({ name, instances }: ClusterDatabase): readonly FailingEngine[] {
  return instances.flatMap(({ node, failing }) =>
    failing === undefined || failing.starts < FAILED_STARTS ? [] : [{ node, text: failureText(name, node, failing) }],
  );
}
