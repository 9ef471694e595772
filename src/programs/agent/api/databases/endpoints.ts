import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { ProxyCommand, ProxyReply } from "../../../../ports/management/proxy-control.ts";
import type { BdbRecord, EndpointRecord, ProxyRecord } from "../../../../ports/management/records.ts";
import type { LeaderElection } from "../../members/leader-election.ts";
import type { Members } from "../../members/members.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import type { DatabaseReads } from "./databases.ts";
import type { HandlerCall, Handlers } from "../http/handler-call.ts";
import { acceptsClients } from "../cluster/nodes.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What endpoints are read from. */
export interface EndpointsContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly members: Pick<Members, "list">;
  readonly election: Pick<LeaderElection, "isLeader">;
  /** Sends a command to the proxy of this node. */
  readonly sendToProxy: (command: ProxyCommand) => Promise<ProxyReply>;
}

type EndpointRoutes = "proxies" | "proxy" | "endpoints" | "endpoint" | "bdbEndpoints";
type CheckRoutes = "bdbAvailability" | "localAvailability" | "leaderCheck";

/** Proxies and endpoints, and whether clients reach a database. */
export function endpointHandlers(
  context: EndpointsContext,
  reads: DatabaseReads,
): Pick<Handlers, EndpointRoutes | CheckRoutes> {
  const { members, election } = context;
  const endpoints = async (): Promise<readonly EndpointRecord[]> => (await reads.list()).flatMap(endpointsOf);
  return {
    proxies: async () => proxiesOf(members),
    proxy: async ({ params }) => {
      const found = proxiesOf(members).find(({ uid }) => String(uid) === params.uid);
      if (found === undefined) throw refuse(refusals.noSuchObject, `there is no proxy ${params.uid ?? ""}`);
      return found;
    },
    endpoints,
    endpoint: async ({ params }) => {
      const found = (await endpoints()).find(({ uid }) => uid === params.uid);
      if (found === undefined) throw refuse(refusals.noSuchObject, `there is no endpoint ${params.uid ?? ""}`);
      return found;
    },
    bdbEndpoints: async ({ params }) => endpointsOf(await reads.get(await reads.record(params.uid))),
    bdbAvailability: async (call) => availability(reads, call, () => whyUnreached(members)),
    localAvailability: async (call) => availability(reads, call, (record) => whyNotServedHere(context, record)),
    leaderCheck: async () => ({ status: election.isLeader() ? "active" : "inactive" }),
  };
}

function proxiesOf(members: Pick<Members, "list">): readonly ProxyRecord[] {
  return members.list().map((member) => ({
    uid: member.uid,
    node_uid: member.uid,
    addr: member.report.address,
    status: acceptsClients(member) ? "active" : "inactive",
  }));
}

function endpointsOf({ uid, endpoints }: BdbRecord): readonly EndpointRecord[] {
  return endpoints.map((endpoint) => ({ ...endpoint, bdb_uid: uid }));
}

/** AGENT_UNAVAILABLE with the reason while clients cannot be served. */
async function availability(
  reads: DatabaseReads,
  { params, query }: Pick<HandlerCall<"bdbAvailability">, "params" | "query">,
  whyNot: (record: DatabaseRecord) => string | undefined | Promise<string | undefined>,
): Promise<{ readonly status: "available" }> {
  if (query.extend_check !== undefined) {
    throw refuse(refusals.notOffered, "extend_check is not offered: replication between clusters is not measured");
  }
  const record = await reads.record(params.uid);
  const primaries = (await reads.shardsOf(record)).filter(({ role }) => role === "master");
  const away = primaries.find(({ status }) => status !== "active");
  const isServed = primaries.length > 0 && away === undefined;
  const reason = isServed ? await whyNot(record) : `its primary on node ${away?.node_uid ?? ""} does not serve`;
  if (reason !== undefined) throw refuse(refusals.unavailable, `"${record.name}" is not available: ${reason}`);
  return { status: "available" };
}

function whyUnreached(members: Pick<Members, "list">): string | undefined {
  return members.list().some(acceptsClients) ? undefined : "no node accepts clients";
}

async function whyNotServedHere(context: EndpointsContext, { uid }: DatabaseRecord): Promise<string | undefined> {
  const { config, members, sendToProxy } = context;
  const own = members.list().find((member) => member.uid === config.node);
  if (own === undefined || !acceptsClients(own)) return `node ${config.node} accepts no clients`;
  const reply = await sendToProxy({ op: "stats" });
  const listens = reply.ok && reply.op === "stats" && reply.endpoints.some((one) => one.bdb === uid && one.listening);
  return listens ? undefined : `the proxy of node ${config.node} does not listen for it`;
}
