import { SERVICE_RANGE } from "../control-plane/arguments.ts";
import { CENTER_ADDRESS, PREFIX_LENGTH, type NodePlace } from "./addressing.ts";
import { runWell } from "./command.ts";
import type { Machine } from "./machine.ts";

/** Lays the network of a cluster out at its center: a switch that nodes are plugged into. It leads nowhere else. */
export async function layNetwork(center: Machine, nodes: readonly NodePlace[]): Promise<void> {
  await ip(center, "link add lan0 type bridge");
  await ip(center, `address add ${CENTER_ADDRESS}/${PREFIX_LENGTH} dev lan0`);
  await ip(center, "link set lan0 up");
  // addresses of Services are rewritten on the way out, which takes a way out
  await ip(center, `route add ${SERVICE_RANGE} dev lan0`);
  for (const { address, podRange } of nodes) await ip(center, `route add ${podRange} via ${address}`);
}

/** Plugs a node into the switch. */
export async function plugIn(
  center: Machine,
  node: Machine,
  place: NodePlace,
  others: readonly NodePlace[],
): Promise<void> {
  await ip(center, `link add ${place.name} type veth peer name eth0 netns ${node.init}`);
  await ip(center, `link set ${place.name} master lan0 up`);
  await ip(node, `address add ${place.address}/${PREFIX_LENGTH} dev eth0`);
  await ip(node, "link set eth0 up");
  await ip(node, `route add default via ${CENTER_ADDRESS}`);
  for (const { address, podRange } of others) await ip(node, `route add ${podRange} via ${address}`);
  for (const [name, value] of Object.entries(FORWARDING))
    await runWell([...node.network, "tee", `/proc/sys/net/ipv4/${name}`], { stdin: value });
}

/** Pulls the plug of a node, or puts it back. */
export async function setPlugged(center: Machine, node: string, plugged: boolean): Promise<void> {
  await ip(center, `link set ${node} ${plugged ? "up" : "down"}`);
}

/** Settings of the node's own network: it carries what its pods send, whichever way the answer takes. */
const FORWARDING = { ip_forward: "1", "conf/all/rp_filter": "0", "conf/default/rp_filter": "0" };

async function ip(machine: Machine, line: string): Promise<void> {
  await runWell([...machine.network, "ip", ...line.split(" ")]);
}
