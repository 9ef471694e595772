import { messageOf } from "#kit/base/fault";
import type { OtherScripts, ScriptsRequest } from "../../../ports/management/scripts-question.ts";
import type { ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { Member } from "../members/members.ts";
import type { NodeCapability } from "../members/node-report.ts";
import type { Peers } from "../members/peers.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What reaching the proxies of other nodes takes. */
export interface OtherScriptsContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly members: { list(): readonly AskedMember[] };
  readonly peers: Pick<Peers, "proxy">;
}

interface AskedMember extends Pick<Member, "uid" | "held" | "mayAcknowledge"> {
  readonly report: Pick<Member["report"], "capabilities">;
}

/**
 * Sends the scripts of a database that a proxy of this node knows to the proxies of all other nodes, and asks for theirs; does not reject. A
 * node that can acknowledge nothing and does not answer, or does not know the command, is left out.
 */
export async function askOthersForScripts(
  { config, members, peers }: OtherScriptsContext,
  request: ScriptsRequest,
): Promise<readonly OtherScripts[]> {
  const meant = members
    .list()
    .filter(({ uid, held, report }) => uid !== config.node && held && report.capabilities.includes(CAPABILITY));
  const answers = await Promise.all(
    meant.map(async (member) => {
      try {
        return scriptsIn(member.uid, await peers.proxy(member.uid, { op: "scripts", ...request }));
      } catch (error) {
        return member.mayAcknowledge ? { node: member.uid, missing: messageOf(error) } : undefined;
      }
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}

/** What a proxy of that node has answered; one that does not serve the database yet asks when it does. */
export function scriptsIn(node: number, reply: ProxyReply): OtherScripts {
  if (reply.ok && reply.op === "scripts") return { node, bodies: reply.bodies, more: reply.more };
  if (!reply.ok && reply.code === UNKNOWN_ENDPOINT) return { node, bodies: [], more: false };
  return { node, missing: reply.ok ? "it answered something else" : reply.message };
}

/** Proxies of releases before 0.5.0 do not know the command. */
const CAPABILITY: NodeCapability = "shared-scripts";
/** The fault of a proxy that does not serve the database yet. */
const UNKNOWN_ENDPOINT = "PROXY_UNKNOWN_ENDPOINT";
