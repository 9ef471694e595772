import { databasesOn, type ClusterDatabase, type ClusterView } from "./cluster-view.ts";
import { FAILED_STARTS, failureText } from "./engine-failure.ts";

/** An engine that ends again and again, for a sentence. */
export interface FailingEngine {
  readonly node: number;
  readonly text: string;
}

/** The engines that end again and again before they serve; nodes of older releases do not report it. */
export function failingEngines({ cluster }: Pick<ClusterView, "cluster">): readonly FailingEngine[] {
  return cluster.reachable ? cluster.databases.flatMap(failuresOf) : [];
}

/** Those on one node. */
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
