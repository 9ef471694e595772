import type { DatabaseRecord } from "../../../core/api/records.ts";
import { isConfigFileOf } from "../../../mechanisms/supervisor/instance-files.ts";
import type { EndpointStats, ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { Info } from "../../../ports/resp/info.ts";
import { engineAddress } from "../members/addresses.ts";
import type { Members } from "../members/members.ts";
import type { Peers } from "../members/peers.ts";
import type { AgentConfig } from "../runtime/config.ts";
import type { EnginesContext } from "./engine-answers.ts";
import type { EngineWatch } from "./engine-watch.ts";

/** What measuring engines takes. */
export interface MeasuringContext extends EnginesContext {
  readonly engines: Pick<EngineWatch, "ask" | "measure">;
}

/** All that the engines of a database report of themselves, those of one node or all, by instance id; one that does not answer is absent. */
export async function measureEngines(
  context: MeasuringContext,
  record: DatabaseRecord,
  onlyNode?: number,
): Promise<ReadonlyMap<number, Info>> {
  const measured = new Map<number, Info>();
  if (record.status === "delete-pending") return measured;
  const all = record.shards.flatMap((shard) => shard.instances);
  const instances = all.filter(({ node }) => node === (onlyNode ?? node));
  if (instances.length === 0) return measured;
  const { access } = await context.passwords.of(record);
  const measure = async (instance: (typeof instances)[number]): Promise<void> => {
    const address = engineAddress(context, instance, access);
    const info = address && (await context.engines.measure(address));
    // another engine may listen there now
    const isOwn = isConfigFileOf(info?.get("config_file") ?? "", record.uid, instance.id);
    if (info !== undefined && isOwn) measured.set(instance.id, info);
  };
  await Promise.all(instances.map(measure));
  return measured;
}

/** What asking the proxies of all nodes takes. */
export interface CountersContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly members: Pick<Members, "list">;
  readonly peers: Pick<Peers, "proxy">;
  /** Sends a command to the proxy of this node. */
  readonly sendToProxy: (command: ProxyCommand) => Promise<ProxyReply>;
}

/** What the endpoints of each node count; a node whose proxy does not answer is absent. */
export async function endpointCounters(
  context: CountersContext,
): Promise<ReadonlyMap<number, readonly EndpointStats[]>> {
  const { config, members, peers, sendToProxy } = context;
  const counted = new Map<number, readonly EndpointStats[]>();
  const ask = async (node: number): Promise<void> => {
    const command = { op: "stats" } as const;
    const asked = node === config.node ? sendToProxy(command) : peers.proxy(node, command);
    const endpoints = await countersIn(asked);
    if (endpoints !== undefined) counted.set(node, endpoints);
  };
  await Promise.all(members.list().flatMap(({ uid, fresh }) => (fresh ? [ask(uid)] : [])));
  return counted;
}

/** What the endpoints of this node count; undefined when its proxy does not answer. */
export function ownCounters({ sendToProxy }: Pick<CountersContext, "sendToProxy">) {
  return countersIn(sendToProxy({ op: "stats" }));
}

async function countersIn(asked: Promise<ProxyReply>): Promise<readonly EndpointStats[] | undefined> {
  const reply = await asked.catch(() => undefined); // what is not known is not shown
  return reply?.ok === true && reply.op === "stats" ? reply.endpoints : undefined;
}
