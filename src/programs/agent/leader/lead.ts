import { runController } from "#kit/reconcile/controller";
import type { Records } from "../records/records.ts";
import type { ChangeSignal } from "../runtime/change-signal.ts";
import type { ProxyPort } from "../switchover/ports.ts";
import { DatabaseReconciler } from "./database-reconciler.ts";
import type { DatabaseReconcilerContext } from "./database-reconciler.ts";
import { LeaderOperations } from "./leader-operations.ts";
import type { OperationsContext } from "./leader-operations.ts";
import { NodeReconciler } from "./node-reconciler.ts";
import type { NodeReconcilerContext } from "./node-reconciler.ts";

/** What the work of a leader needs. */
export type LeadContext = DatabaseReconcilerContext &
  OperationsContext &
  NodeReconcilerContext & {
    readonly records: Pick<Records, "state" | "databases" | "changeState">;
    readonly proxies: () => readonly ProxyPort[];
    readonly changes: ChangeSignal;
  };

/** A pass mostly waits for engines and nodes, and for one that hangs until it is known to be silent. */
const DATABASES_AT_ONCE = 32;

/** Reconciles each database and each node that is evacuated or returning, until `signal` aborts. */
export async function lead(context: LeadContext, signal: AbortSignal): Promise<void> {
  const { records, log, clock } = context;
  const operations = new LeaderOperations(context, context.proxies);
  const enqueueDatabase = (uid: number): void => {
    databaseController.enqueue(String(uid));
  };
  const databases = new DatabaseReconciler(context, operations, enqueueDatabase, signal);
  const nodes = new NodeReconciler(context);
  const databaseController = runController({
    name: "databases",
    workers: DATABASES_AT_ONCE,
    reconcile: (uid) => databases.reconcile(Number(uid), signal),
    log,
    clock,
    signal,
  });
  const nodeController = runController({
    name: "nodes",
    workers: 4,
    reconcile: (uid) => nodes.reconcile(Number(uid)),
    log,
    clock,
    signal,
  });
  const enqueue = (database: number | undefined): void => {
    const affected = database === undefined ? records.databases().map(({ uid }) => uid) : [database];
    for (const uid of affected) databaseController.enqueue(String(uid));
    for (const { node } of records.state()?.maintenance ?? []) nodeController.enqueue(String(node));
  };
  const unsubscribe = context.changes.subscribe(enqueue);
  // the first leader creates the record of the cluster
  await records.changeState((state) => state);
  enqueue(undefined);
  await Promise.all([databaseController.stopped, nodeController.stopped]);
  unsubscribe();
}
