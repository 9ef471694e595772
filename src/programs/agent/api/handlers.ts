import { randomUUID } from "node:crypto";
import type { DatabaseAction } from "../../../core/api/records.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { ActionRecord, MaintenanceOn } from "../../../ports/management/records.ts";
import { NODE_LEASE_MS } from "../../../core/planner/cluster/leader-term.ts";
import { putActiveActive } from "./active-active.ts";
import { byLeader } from "./leader.ts";
import { actionRecord, apiReads } from "./read.ts";
import type { Handlers } from "./server.ts";
import { apiWrites } from "./write.ts";
import { deleteModule, localModule, uploadModule } from "./module-upload.ts";
import { installLicense } from "./license.ts";
import { createUser, deleteUser, getUser, listUsers, requireMayManage, updateUser } from "./users.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import type { Leadership } from "../leader/leadership.ts";
import { refusals, refuse } from "./refusals.ts";
import { maintenanceOf, withMaintenance, withReturn } from "../records/maintenance.ts";

export interface ApiDeps {
  readonly view: ClusterView;
  readonly leadership: Leadership;
  readonly joined: () => boolean;
  /** Orders for this node's own proxy. */
  readonly proxy: (command: ProxyCommand) => Promise<ProxyReply>;
  /** The cluster's own administrator, as its Secret says at the moment. */
  readonly adminName: () => string;
}

/** Every operation of the management API: reads from what this node knows, writes by the leader. */
export function apiHandlers({ view, leadership, joined, proxy, adminName }: ApiDeps): Handlers {
  const reads = apiReads(view, leadership);
  const writes = apiWrites(view);
  const deps = { self: view.config.node, leadership, peers: view.peers, clock: view.clock };
  return {
    bootstrap: async () => {
      if (!joined()) throw refuse(refusals.notJoined, `node ${view.config.node} has not joined the cluster yet`);
      return { bootstrap_status: { state: "completed" } };
    },
    cluster: async () => reads.cluster(),
    updateCluster: ({ body, forwardedBy }) =>
      byLeader(deps, "updateCluster", { body }, forwardedBy, async () => {
        await view.records.changeState((state) => ({ ...state, operator: body.operator_version }));
        return reads.cluster();
      }),
    license: async () => reads.license(),
    installLicense: ({ body, forwardedBy }) =>
      byLeader(deps, "installLicense", { body }, forwardedBy, () => installLicense(view, body.license)),
    nodes: async () => reads.nodes(),
    node: async ({ params }) => reads.node(params.uid),
    modules: () => reads.modules(),
    uploadModule: ({ body }) => uploadModule(view, body.module),
    deleteModule: ({ params }) => deleteModule(view, params.uid ?? ""),
    localModule: ({ params }) => localModule(view, params.uid ?? ""),
    bdbs: () => reads.bdbs(),
    bdb: ({ params }) => reads.bdb(reads.record(params.uid)),
    createBdb: ({ body, forwardedBy }) =>
      byLeader(deps, "createBdb", { body }, forwardedBy, async () => reads.fresh(await writes.create(body))),
    updateBdb: ({ params, body, forwardedBy }) =>
      byLeader(deps, "updateBdb", { params: uidOf(params), body }, forwardedBy, async () =>
        reads.fresh(await writes.update(reads.record(params.uid), body)),
      ),
    deleteBdb: ({ params, forwardedBy }) =>
      byLeader(deps, "deleteBdb", { params: uidOf(params) }, forwardedBy, () =>
        writes.remove(reads.record(params.uid)),
      ),
    upgradeBdb: ({ params, body, forwardedBy }) =>
      byLeader(deps, "upgradeBdb", { params: uidOf(params), body }, forwardedBy, async () =>
        reads.fresh(await writes.upgrade(reads.record(params.uid), body)),
      ),
    crdbs: async () => view.records.state()?.activeActives ?? [],
    putCrdb: ({ params, body, forwardedBy }) =>
      byLeader(deps, "putCrdb", { params: { guid: params.guid ?? "" }, body }, forwardedBy, () =>
        putActiveActive(view, params.guid ?? "", body),
      ),
    actions: async () => ({ actions: reads.actions() }),
    action: async ({ params }) => reads.action(params.uid),
    maintenanceOn: ({ params, body, forwardedBy }) =>
      byLeader(deps, "maintenanceOn", { params: uidOf(params), body }, forwardedBy, async () =>
        maintenanceOn(view, reads.node(params.uid).uid, body),
      ),
    maintenanceOff: ({ params, forwardedBy }) =>
      byLeader(deps, "maintenanceOff", { params: uidOf(params) }, forwardedBy, async () =>
        maintenanceOff(view, reads.node(params.uid).uid),
      ),
    nodeAction: async ({ params }) => reads.nodeAction(params.uid, params.action),
    users: async () => listUsers(view, adminName()),
    user: async ({ params }) => getUser(view, adminName(), params.uid ?? ""),
    createUser: async ({ body, role, forwardedBy }) => {
      requireMayManage(role, { wanted: body.role });
      return byLeader(deps, "createUser", { body }, forwardedBy, () => createUser(view, adminName(), body));
    },
    updateUser: async ({ params, body, role, forwardedBy }) => {
      const user = getUser(view, adminName(), params.uid ?? "");
      requireMayManage(role, { user, wanted: body.role });
      return byLeader(deps, "updateUser", { params: uidOf(params), body }, forwardedBy, () =>
        updateUser(view, user.uid, body),
      );
    },
    deleteUser: async ({ params, role, forwardedBy }) => {
      const user = getUser(view, adminName(), params.uid ?? "");
      requireMayManage(role, { user });
      return byLeader(deps, "deleteUser", { params: uidOf(params) }, forwardedBy, () => deleteUser(view, user.uid));
    },
    localInstances: async () => view.localInstances(),
    localVouch: async ({ body }) => {
      view.members.vouchFor(body.node);
      return { promised_ms: NODE_LEASE_MS };
    },
    localProxy: ({ body }) => proxy(body),
  };
}

async function maintenanceOn(view: ClusterView, node: number, body: MaintenanceOn): Promise<ActionRecord> {
  const now = view.clock.now().toISOString();
  const request = { node, cause: "request", demote: body.demote_node ?? false, now, newUid: randomUUID() } as const;
  const state = await view.records.changeState((old) => withMaintenance(old, request));
  return actionOf(maintenanceOf(state, node)?.action, node);
}

async function maintenanceOff(view: ClusterView, node: number): Promise<ActionRecord> {
  const now = view.clock.now().toISOString();
  const uid = randomUUID();
  const state = await view.records.changeState((old) => withReturn(old, node, now, uid));
  return actionOf(maintenanceOf(state, node)?.action, node);
}

/** A node that is in service already has nothing to do: its action is over. */
function actionOf(action: DatabaseAction | undefined, node: number): ActionRecord {
  const done = { uid: `node-${node}-in-service`, name: "maintenance_off", status: "completed", progress: 100 } as const;
  return actionRecord({ ...(action ?? done), object: `node:${node}` });
}

function uidOf(params: Readonly<Record<string, string>>): { readonly uid: string } {
  return { uid: params.uid ?? "" };
}
