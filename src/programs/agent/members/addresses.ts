import { engineLogins, type EngineAccess } from "../../../core/api/engine-login.ts";
import type { InstanceRecord } from "../../../core/api/records.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
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

/** How to reach the engine of an instance; undefined while its node has never reported. */
export function engineAddress(
  context: AddressContext,
  instance: InstanceRecord,
  access: EngineAccess,
): EngineAddress | undefined {
  const host = nodeAddress(context, instance.node);
  return host === undefined ? undefined : { host, port: instance.port, logins: engineLogins(access) };
}
