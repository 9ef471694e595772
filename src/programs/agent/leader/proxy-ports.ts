import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import type { Members } from "../members/members.ts";
import type { Peers } from "../members/peers.ts";
import type { AgentConfig } from "../runtime/config.ts";
import { nodesInDoubt } from "../switchover/fence.ts";
import type { ProxyPort } from "../switchover/ports.ts";

/** What reaching the proxies of all nodes takes. */
export interface ProxiesContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly members: Pick<Members, "list" | "get" | "isFenced" | "pledges">;
  readonly peers: Pick<Peers, "proxy" | "consents">;
  /** Sends a command to the proxy of this node. */
  readonly ownProxy: (command: ProxyCommand) => Promise<ProxyReply>;
  readonly log: Log;
}

/** The proxies of all nodes; the agent reaches that of its own node directly. */
export function proxyPorts(context: ProxiesContext): readonly ProxyPort[] {
  const { config, members } = context;
  return members.list().map(({ uid }) => ({
    node: uid,
    send: (command) => sendTo(context, uid, command),
    isDead: () => uid !== config.node && members.get(uid)?.mayAcknowledge !== true,
    isFenced: () => members.isFenced(uid, (voter) => consents(context, voter, uid)),
  }));
}

/**
 * Asks every proxy that may acknowledge something; answers with the nodes that have not confirmed. Write into the record first what they are to
 * confirm: a node that renews its lease for the first time later reads the record after that.
 */
export async function unconfirmedNodes(
  context: ProxiesContext & { readonly members: Pick<Members, "listNow"> },
  command: ProxyCommand,
): Promise<readonly number[]> {
  const now = await context.members.listNow();
  const ports = proxyPorts(context);
  const unseen = now.filter((uid) => !ports.some(({ node }) => node === uid));
  return [...unseen, ...(await nodesInDoubt(ports, command))];
}

async function consents({ config, members, peers }: ProxiesContext, voter: number, uid: number): Promise<boolean> {
  return voter === config.node ? members.pledges.consent(uid) : peers.consents(voter, uid);
}

/** Drains the clients of a node within `deadlineMs`; AGENT_PROXY_REFUSED when its proxy does not. */
export async function drainClients(context: ProxiesContext, node: number, deadlineMs: number): Promise<void> {
  const reply = await sendTo(context, node, { op: "drain", deadlineMs });
  if (!reply.ok) throw new Fault(faults.proxyRefused, `drain on node ${node}: ${reply.message}`, { node });
  context.log.info("the clients of a node are drained", { node, reply });
}

function sendTo({ config, peers, ownProxy }: ProxiesContext, node: number, command: ProxyCommand): Promise<ProxyReply> {
  return node === config.node ? ownProxy(command) : peers.proxy(node, command);
}
