import { messageOf } from "#kit/base/fault";
import type { ClientsQuestion, OtherClients } from "../../../ports/management/clients-question.ts";
import type { ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { Member, Members } from "../members/members.ts";
import type { Peers } from "../members/peers.ts";
import type { NodeCapability } from "../members/node-report.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What reaching the clients of other nodes takes. */
export interface OtherClientsContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly members: Pick<Members, "list">;
  readonly peers: Pick<Peers, "proxy">;
}

/**
 * Carries out, at every other node at once, what a client of this node asks of all clients of its database; does not reject. A node that can
 * acknowledge nothing and does not answer serves no client, and is left out.
 */
export async function askOtherNodes(
  { config, members, peers }: OtherClientsContext,
  { bdb, request, node }: ClientsQuestion,
): Promise<readonly OtherClients[]> {
  const meant = members.list().filter((member) => mayHaveClients(member, config.node, node));
  const answers = await Promise.all(
    meant.map(async (member) => {
      try {
        return clientsAnswer(member.uid, await peers.proxy(member.uid, { op: "clients", bdb, request }));
      } catch (error) {
        return member.mayAcknowledge ? { node: member.uid, missing: messageOf(error) } : undefined;
      }
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}

/** Nodes of releases before 0.4.0 do not know the command: their clients are left out. */
const CAPABILITY: NodeCapability = "database-clients";

function mayHaveClients({ uid, held, report }: Member, self: number, only: number | undefined): boolean {
  return uid !== self && held && report.capabilities.includes(CAPABILITY) && (only === undefined || only === uid);
}

/** What a proxy of that node has answered. */
export function clientsAnswer(node: number, reply: ProxyReply): OtherClients {
  if (!reply.ok) return reply.code === UNKNOWN_ENDPOINT ? { node, ...NO_CLIENTS } : { node, missing: reply.message };
  return reply.op === "clients"
    ? { node, lines: reply.lines, count: reply.count }
    : { node, missing: "it answered something else" };
}

/** The fault of a proxy that does not serve the database yet. */
const UNKNOWN_ENDPOINT = "PROXY_UNKNOWN_ENDPOINT";
const NO_CLIENTS = { lines: "", count: 0 };
