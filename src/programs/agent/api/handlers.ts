import { NODE_LEASE_MS } from "../../../core/planner/node/grant.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { LocalInstance } from "../../../ports/management/records.ts";
import type { NodeAccess } from "../credentials/node-access.ts";
import type { Members } from "../members/members.ts";
import { consentTag } from "../members/pledges.ts";
import type { AgentConfig } from "../runtime/config.ts";
import type { Handlers } from "./http/handler-call.ts";
import { withRights } from "./users/acting-user.ts";
import { accessHandlers } from "./users/access.ts";
import { type ClusterApiContext, clusterHandlers, nodeHandlers } from "./cluster/cluster-handlers.ts";
import { databaseHandlers, type DatabaseHandlersContext, moduleHandlers } from "./databases/database-handlers.ts";
import { databaseWrites } from "./databases/database-writes.ts";
import { databaseReads, type DatabasesContext } from "./databases/databases.ts";
import { documentHandlers } from "./http/documents.ts";
import { endpointHandlers, type EndpointsContext } from "./databases/endpoints.ts";
import type { EventsContext } from "./cluster/events.ts";
import type { ModulesContext } from "./modules/module-upload.ts";
import type { NodeLink } from "../node/link.ts";
import type { LinkHealthContext } from "./databases/link-health.ts";
import { withinLimit } from "./cluster/record-limit.ts";
import { refusals, refuse } from "./http/refusals.ts";
import { oneAtATime } from "./http/one-at-a-time.ts";
import { statsHandlers } from "./stats/handlers.ts";
import type { StatsContext } from "./stats/measure.ts";
import { nodeMetrics } from "./stats/node-metrics.ts";
import { userHandlers } from "./users/user-handlers.ts";
import { nodeTrust, type TrustContext } from "./cluster/trust.ts";
import type { UsersContext } from "./users/users.ts";
import type { WriteContext } from "./databases/write-context.ts";

/** What the operations of one node for its peers work on. */
interface LocalContext extends TrustContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly members: Pick<Members, "pledges" | "promise">;
  readonly localInstances: () => readonly LocalInstance[];
  readonly joined: () => boolean;
  readonly access: Pick<NodeAccess, "revision">;
  readonly link: Pick<NodeLink, "used" | "status">;
  /** Sends a command to the proxy of this node. */
  readonly sendToProxy: (command: ProxyCommand) => Promise<ProxyReply>;
}

/** What all operations together work on. */
export type ApiContext = ClusterApiContext &
  DatabasesContext &
  WriteContext &
  ModulesContext &
  UsersContext &
  EndpointsContext &
  StatsContext &
  EventsContext &
  LocalContext &
  LinkHealthContext & {
    readonly clientParameters: DatabaseHandlersContext["clientParameters"];
    /** Name of the cluster's own administrator, as its Secret has it now. */
    readonly adminName: () => string;
  };

/** Every operation of the management API: reads from what this node knows, writes on the leader. */
export function apiHandlers(context: ApiContext): Handlers {
  const reads = databaseReads(context);
  const guarded = { ...context, records: withRights(context.records) };
  const limited = { ...guarded, records: withinLimit(guarded.records) };
  const inTurn = oneAtATime();
  return {
    ...clusterHandlers(guarded, limited.records),
    ...nodeHandlers(guarded),
    ...databaseHandlers(limited, reads, databaseWrites(limited, inTurn)),
    ...endpointHandlers(context, reads),
    ...moduleHandlers(limited, inTurn),
    ...accessHandlers(context),
    ...statsHandlers(context),
    metrics: () => nodeMetrics(context),
    ...documentHandlers(context),
    ...userHandlers(limited, context.adminName),
    ...localHandlers(context),
  };
}

type LocalRoutes =
  "bootstrap" | "localInstances" | "localTrust" | "localLink" | "localVouch" | "localConsent" | "localProxy";

function localHandlers(context: LocalContext): Pick<Handlers, LocalRoutes> {
  const { config, members, localInstances, joined, access, link, sendToProxy } = context;
  const trust = nodeTrust(context);
  return {
    bootstrap: async () => {
      if (!joined()) throw refuse(refusals.notJoined, `node ${config.node} has not joined the cluster yet`);
      return { bootstrap_status: { state: "completed" } };
    },
    localInstances: async () => localInstances(),
    localTrust: async () => ({ access_revision: access.revision(), ...trust() }),
    localLink: () => link.status(),
    localVouch: async ({ body: { node, transitions } }) => {
      if (members.promise(node, transitions))
        return { promised_ms: NODE_LEASE_MS, consent_tag: consentTag(members.pledges.consents(), node) };
      const reasons = "it has just started, has consented to a take-over, or knows of another process of that node";
      throw refuse(refusals.takenOver, `node ${config.node} promises nothing to node ${node}: ${reasons}`);
    },
    localConsent: async ({ body }) => ({ consents: members.pledges.consent(body.node) }),
    localProxy: ({ body }) => sendToProxy(body),
  };
}
