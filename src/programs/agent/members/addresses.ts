import { everyShard } from "../../../core/api/every-shard.ts";
import { engineLogins, type EngineAccess } from "../../../core/api/engine-login.ts";
import type { DatabaseRecord, InstanceRecord } from "../../../core/api/records.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import type { AgentConfig } from "../runtime/config.ts";
import type { Members } from "./members.ts";

/** What addresses are made from: the configuration of this node and the reports of the others. */
export interface AddressContext {
  readonly config: Pick<AgentConfig, "node" | "address">;
  readonly members: Pick<Members, "get">;
}

/** Where the engines, the proxy and the management API of a node listen; undefined while it has never reported. */
export function nodeAddress({ config, members }: AddressContext, node: number): string | undefined {
  return node === config.node ? config.address : members.get(node)?.report.address;
}

/** What addresses of engines are made from. */
export interface EngineAddressContext extends AddressContext {
  readonly engineTls: EngineTls;
}

/** How to reach the engine of an instance; undefined while its node has never reported. */
export function engineAddress(
  context: EngineAddressContext,
  instance: InstanceRecord,
  access: EngineAccess,
): EngineAddress | undefined {
  const host = nodeAddress(context, instance.node);
  const tls = instance.tls === true ? context.engineTls : undefined;
  return host === undefined ? undefined : { host, port: instance.port, tls, logins: engineLogins(access) };
}

/** The database whose engine listens there; undefined when no record names it any more. */
export function databaseAt(
  databases: readonly DatabaseRecord[],
  addressOf: (node: number) => string | undefined,
  { host, port }: Pick<EngineAddress, "host" | "port">,
): number | undefined {
  const isThere = (instance: InstanceRecord): boolean => instance.port === port && addressOf(instance.node) === host;
  return databases.find((record) => everyShard(record).some(({ instances }) => instances.some(isThere)))?.uid;
}
