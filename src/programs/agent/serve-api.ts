import { PORTS } from "../../core/api/names.ts";
import { NODE_LEASE_MS } from "../../core/planner/node/grant.ts";
import { carriedVersions } from "../../core/releases/catalogue/find.ts";
import { withinLimit } from "./api/cluster/record-limit.ts";
import { ClientParameterWrites } from "./api/databases/client-parameters.ts";
import { setForClients } from "./api/databases/parameters-of-clients.ts";
import { apiHandlers } from "./api/handlers.ts";
import { elsewhere } from "./api/http/ask-elsewhere.ts";
import { type Authenticate, authenticator } from "./api/http/auth.ts";
import { type ManagementApi, serveManagementApi } from "./api/http/server.ts";
import type { AgentContext } from "./context.ts";
import type { LeaderElection } from "./members/leader-election.ts";
import type { Membership } from "./membership.ts";

/** Serves the management API of this node; it answers also before the node is a member, and says so. */
export function serveApi(
  context: AgentContext,
  election: LeaderElection,
  membership: Membership,
): Promise<ManagementApi> {
  const { config, records, members, peers, proxy, tls, access, modules, clock, log } = context;
  const clientParameters = new ClientParameterWrites({ ...context, records: withinLimit(records) });
  proxy.onParameters((request) => setForClients({ ...context, election, clientParameters }, request));
  const joined = (): boolean => membership.joined;
  const isStale = (): boolean => joined() && clock.uptimeMs() - membership.renewedAt() > NODE_LEASE_MS;
  return serveManagementApi({
    host: config.address,
    port: PORTS.management,
    tls: tls.current(),
    callerOf: callersOf(context),
    handlers: apiHandlers({
      ...context,
      election,
      joined,
      clientParameters,
      sendToProxy: (command) => proxy.send(command),
      adminName: () => access.own().username,
    }),
    users: () => records.state()?.users ?? [],
    readUsers: () => readUsers(records),
    isStale,
    askElsewhere: elsewhere({
      node: config.node,
      isStale,
      others: () => members.list().flatMap(({ uid }) => (uid === config.node ? [] : [uid])),
      peers,
    }),
    notJoined: () => (joined() ? undefined : `node ${config.node} has not joined the cluster yet`),
    supported: carriedVersions(config.release),
    archiveFolder: modules.folder,
    clock,
    log,
  });
}

function callersOf({ access, records, userPasswords }: AgentContext): Authenticate {
  return authenticator({
    logins: () => access.accepted(),
    users: () => records.state()?.users ?? [],
    hashIn: (secret) => userPasswords.hashIn(secret),
  });
}

async function readUsers(records: AgentContext["records"]) {
  await records.reload("cluster");
  return records.state()?.users ?? [];
}
