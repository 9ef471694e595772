import type { Kube } from "../../../ports/kube/kube.ts";
import { runController } from "../../../mechanisms/reconcile/controller.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { DatabaseLeader } from "./database.ts";
import { leaderMoves } from "./database-moves.ts";
import { NodeLeader } from "./nodes.ts";
import type { NodeLeaderDeps } from "./nodes.ts";
import type { Signals } from "../signals.ts";
import type { ProxyPort } from "../switchover/ports.ts";

export interface LeadDeps {
  readonly view: ClusterView;
  readonly kube: Kube;
  readonly proxies: () => readonly ProxyPort[];
  readonly drain: NodeLeaderDeps["drain"];
  readonly stepDown: () => void;
  readonly changes: Signals;
}

/** The leader's work: a pass over each database and each node that is being left, until `signal` aborts. */
export async function lead(deps: LeadDeps, signal: AbortSignal): Promise<void> {
  const { view, kube } = deps;
  const databases = new DatabaseLeader(view, leaderMoves(view, deps.proxies));
  const nodes = new NodeLeader({ view, kube, drain: deps.drain, stepDown: deps.stepDown });
  const { log, clock } = view;
  const onDatabases = runController({
    name: "databases",
    workers: 8,
    reconcile: (uid) => databases.pass(Number(uid), signal),
    log,
    clock,
    signal,
  });
  const onNodes = runController({
    name: "nodes",
    workers: 4,
    reconcile: (uid) => nodes.pass(Number(uid)),
    log,
    clock,
    signal,
  });
  const look = (database: number | undefined): void => {
    const affected = database === undefined ? view.records.databases().map(({ uid }) => uid) : [database];
    for (const uid of affected) onDatabases.enqueue(String(uid));
    for (const { node } of view.records.state()?.maintenance ?? []) onNodes.enqueue(String(node));
  };
  const unsubscribe = deps.changes.listen(look);
  // the record of the cluster is made by whoever leads first
  await view.records.changeState((state) => state);
  look(undefined);
  await Promise.all([onDatabases.stopped, onNodes.stopped]);
  unsubscribe();
}
