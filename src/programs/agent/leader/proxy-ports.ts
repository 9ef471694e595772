import { Fault } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import type { Members } from "../members/members.ts";
import type { Peers } from "../members/peers.ts";
import type { AgentConfig } from "../runtime/config.ts";
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

/** The proxies of all nodes; that of this node without a detour. */
export function proxyPorts(context: ProxiesContext): readonly ProxyPort[] {
  const { config, members } = context;
  return members.list().map(({ uid }) => ({
    node: uid,
    send: (command) => sendTo(context, uid, command),
    isDead: () => uid !== config.node && members.get(uid)?.mayAcknowledge !== true,
    isFenced: () => members.isFenced(uid, (voter) => consents(context, voter, uid)),
  }));
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
