import type { ClusterStateRecord, FinishedAction, NodeMaintenance } from "../api/records.ts";

/** The entry of a node; undefined when it is in service. */
export function maintenanceOf(state: ClusterStateRecord | undefined, node: number): NodeMaintenance | undefined {
  return state?.maintenance.find((entry) => entry.node === node);
}

/** Primaries, clients and (when asked) leadership shall leave the node, and stay away. */
export function isDraining(state: ClusterStateRecord | undefined, node: number): boolean {
  const entry = maintenanceOf(state, node);
  return entry !== undefined && entry.state !== "returning";
}

export interface MaintenanceRequest {
  readonly node: number;
  readonly cause: NodeMaintenance["cause"];
  readonly demote: boolean;
  readonly now: string;
  /** For the action, when one begins. */
  readonly newUid: string;
}

/** Begins to leave a node. Asked twice is asked once; a user's request takes over from a shutdown, never the reverse. */
export function withMaintenance(state: ClusterStateRecord, request: MaintenanceRequest): ClusterStateRecord {
  const { node, cause, demote, now, newUid } = request;
  const before = maintenanceOf(state, node);
  const fresh: NodeMaintenance = {
    node,
    cause,
    demote,
    state: "evacuating",
    since: now,
    waitingFor: "",
    action: { uid: newUid, name: "maintenance_on", status: "running", progress: 0 },
  };
  if (before === undefined) return { ...state, maintenance: [...state.maintenance, fresh] };
  if (before.state === "returning") return replaceEntry(state, fresh);
  const stronger = cause === "request" ? "request" : before.cause;
  return replaceEntry(state, { ...before, cause: stronger, demote: before.demote || demote });
}

/** Begins to take a node back; unchanged when it is in service or on its way. */
export function withReturn(state: ClusterStateRecord, node: number, now: string, newUid: string): ClusterStateRecord {
  const before = maintenanceOf(state, node);
  if (before === undefined || before.state === "returning") return state;
  const action = { uid: newUid, name: "maintenance_off", status: "running", progress: 0 } as const;
  const interrupted = before.action.status === "running" ? [supersededAction(before)] : [];
  return replaceEntry(
    { ...state, finished: withFinished(state, interrupted) },
    { ...before, state: "returning", since: now, waitingFor: "", action },
  );
}

/** The node has been left: nothing more moves until maintenance_off. */
export function withEvacuated(state: ClusterStateRecord, node: number): ClusterStateRecord {
  const before = maintenanceOf(state, node);
  if (before?.state !== "evacuating") return state;
  const action = { ...before.action, status: "completed", progress: 100 } as const;
  const after = { ...state, finished: withFinished(state, [{ ...action, object: `node:${node}` }]) };
  return replaceEntry(after, { ...before, state: "on", waitingFor: "", action });
}

/** The node is back in service. */
export function withReturned(state: ClusterStateRecord, node: number): ClusterStateRecord {
  const before = maintenanceOf(state, node);
  if (before === undefined) return state;
  const action: FinishedAction = { ...before.action, status: "completed", progress: 100, object: `node:${node}` };
  const isNew = !state.finished.some(({ uid }) => uid === action.uid);
  return {
    ...state,
    maintenance: state.maintenance.filter((entry) => entry.node !== node),
    finished: isNew ? withFinished(state, [action]) : state.finished,
  };
}

/** Notes why leaving the node waits. */
export function withMaintenanceReason(state: ClusterStateRecord, node: number, waitingFor: string): ClusterStateRecord {
  const before = maintenanceOf(state, node);
  return before === undefined ? state : replaceEntry(state, { ...before, waitingFor });
}

/** The last actions, with `more` at the end; 50 are kept. */
export function withFinished(state: ClusterStateRecord, more: readonly FinishedAction[]): readonly FinishedAction[] {
  return [...state.finished, ...more].slice(-50);
}

function supersededAction({ node, action }: NodeMaintenance): FinishedAction {
  return { ...action, status: "failed", error: "ended by maintenance_off", object: `node:${node}` };
}

function replaceEntry(state: ClusterStateRecord, entry: NodeMaintenance): ClusterStateRecord {
  return { ...state, maintenance: state.maintenance.map((each) => (each.node === entry.node ? entry : each)) };
}
