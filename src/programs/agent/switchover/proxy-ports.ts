import { Fault } from "../../../core/base/fault.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { faults } from "../faults.ts";
import type { NodeProxy } from "../node/proxy.ts";
import type { ProxyPort } from "./ports.ts";

/** The proxies of all nodes, this node's own without a detour. */
export function proxyPorts(view: ClusterView, own: NodeProxy): readonly ProxyPort[] {
  return view.members.list().map(({ uid }) => ({
    node: uid,
    send: (command) => order(view, own, uid, command),
    gone: () => uid !== view.config.node && view.members.get(uid)?.mayAcknowledge !== true,
    isSilent: () => view.members.isSilent(uid),
  }));
}

/** Lets the clients of a node end what they are at; AGENT_PROXY_REFUSED when its proxy does not. */
export function drainer(view: ClusterView, own: NodeProxy): (node: number, deadlineMs: number) => Promise<void> {
  return async (node, deadlineMs) => {
    const reply = await order(view, own, node, { op: "drain", deadlineMs });
    if (!reply.ok) throw new Fault(faults.proxyRefused, `drain on node ${node}: ${reply.message}`, { node });
    view.log.info("clients have left a node", { node, reply });
  };
}

function order(view: ClusterView, own: NodeProxy, node: number, command: ProxyCommand): Promise<ProxyReply> {
  return node === view.config.node ? own.send(command) : view.peers.proxy(node, command);
}
