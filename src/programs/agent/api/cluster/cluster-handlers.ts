import { SET_ASIDE_RETENTION_DAYS } from "../../../../core/api/cluster-spec.ts";
import { DATABASE_SETTINGS } from "../../../../core/api/settings/database-settings.ts";
import type { ClusterPolicy } from "../../../../ports/management/records.ts";
import type { Records } from "../../records/records.ts";
import { getAction, getNodeAction, listActions } from "./actions.ts";
import type { ActionsContext } from "./actions.ts";
import { uidParam } from "../http/handler-call.ts";
import type { HandlerCall, Handlers } from "../http/handler-call.ts";
import { storeLicense, licenseOf } from "./license.ts";
import type { LicenseContext } from "./license.ts";
import { maintenanceOff, maintenanceOn } from "./maintenance.ts";
import { clusterRecord, getNode, listNodes } from "./nodes.ts";
import type { NodesContext } from "./nodes.ts";
import { releaseSetAside } from "./set-aside.ts";
import type { SetAsideContext } from "./set-aside.ts";
import { runOnLeader } from "../http/run-on-leader.ts";
import type { LeaderContext } from "../http/run-on-leader.ts";

/** What the operations on the cluster and its nodes work on. */
export type ClusterApiContext = NodesContext &
  ActionsContext &
  LicenseContext &
  SetAsideContext &
  LeaderContext & { readonly records: Pick<Records, "changeState"> };

type ClusterRoutes =
  | "cluster"
  | "updateCluster"
  | "clusterPolicy"
  | "updateClusterPolicy"
  | "remoteSites"
  | "putRemoteSites"
  | "license"
  | "installLicense";
type NodeRoutes = "releaseSetAside" | "nodes" | "node" | "nodeAction" | "maintenanceOn" | "maintenanceOff";
type ActionRoutes = "actions" | "action" | "actionsV2" | "actionV2";

/** The cluster and its licence; `limited` are the records for what editors of the namespace can make long, through the operator. */
export function clusterHandlers(
  context: ClusterApiContext,
  limited: Pick<Records, "changeState">,
): Pick<Handlers, ClusterRoutes> {
  return {
    cluster: async () => clusterRecord(context),
    updateCluster: ({ body, forwardedBy }) =>
      runOnLeader(context, "updateCluster", { body }, forwardedBy, async () => {
        await context.records.changeState((state) => ({ ...state, operator: body.operator_version }));
        return clusterRecord(context);
      }),
    clusterPolicy: async () => policyOf(context.records),
    updateClusterPolicy: ({ body, forwardedBy }) =>
      runOnLeader(context, "updateClusterPolicy", { body }, forwardedBy, async () => {
        const upgradePolicy = DATABASE_SETTINGS.upgradePolicy.ofWire(body) ?? "latest";
        const { set_aside_retention_days: days } = body;
        const retention = days === undefined ? {} : { setAsideRetentionDays: days };
        await context.records.changeState((state) => ({ ...state, upgradePolicy, ...retention }));
        return policyOf(context.records);
      }),
    remoteSites: async () => context.records.state()?.remoteSites ?? [],
    putRemoteSites: ({ body: remoteSites, forwardedBy }) =>
      runOnLeader(context, "putRemoteSites", { body: remoteSites }, forwardedBy, async () => {
        const state = await limited.changeState((old) => ({ ...old, remoteSites }));
        return state.remoteSites ?? [];
      }),
    license: async () => licenseOf(context),
    installLicense: ({ body, forwardedBy }) =>
      runOnLeader(context, "installLicense", { body }, forwardedBy, () => storeLicense(context, body.license)),
  };
}

/** Nodes, their maintenance, and the actions of the cluster. */
export function nodeHandlers(context: ClusterApiContext): Pick<Handlers, NodeRoutes | ActionRoutes> {
  const actions = async () => listActions(context);
  const action = async ({ params }: Pick<HandlerCall<"action">, "params">) => getAction(context, params.uid ?? "");
  return {
    nodes: async () => listNodes(context),
    node: async ({ params }) => getNode(context, params.uid ?? ""),
    actions,
    actionsV2: actions,
    action,
    actionV2: action,
    nodeAction: async ({ params }) => getNodeAction(context, params.uid ?? "", params.action ?? ""),
    releaseSetAside: ({ params }) => releaseSetAside(context, getNode(context, params.uid ?? "").uid, params.id ?? ""),
    maintenanceOn: ({ params, body, forwardedBy }) =>
      runOnLeader(context, "maintenanceOn", { params: uidParam(params), body }, forwardedBy, async () =>
        maintenanceOn(context, getNode(context, params.uid ?? "").uid, body),
      ),
    maintenanceOff: ({ params, forwardedBy }) =>
      runOnLeader(context, "maintenanceOff", { params: uidParam(params) }, forwardedBy, async () =>
        maintenanceOff(context, getNode(context, params.uid ?? "").uid),
      ),
  };
}

function policyOf(records: Pick<Records, "state">): ClusterPolicy {
  const { upgradePolicy = "latest", setAsideRetentionDays = SET_ASIDE_RETENTION_DAYS } = records.state() ?? {};
  return {
    ...DATABASE_SETTINGS.upgradePolicy.toWire(upgradePolicy),
    set_aside_retention_days: setAsideRetentionDays,
  };
}
