import type { LocalInstance } from "../../../ports/management/records.ts";
import type { Peers } from "../members/peers.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What the agent of a node reports of one instance: undefined when it runs none of that id. */
export type AgentReport =
  { readonly kind: "reported"; readonly instance: LocalInstance | undefined } | { readonly kind: "no-answer" };

/** What asking the agent of any node takes, this one included. */
export interface AgentReportContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly peers: Pick<Peers, "localInstances">;
  /** The engines of this node. */
  readonly localInstances: () => readonly LocalInstance[];
}

/** Asks the agent of `node` about one instance. */
export async function askAgent(
  { config, peers, localInstances }: AgentReportContext,
  node: number,
  { bdb, instance }: { readonly bdb: number; readonly instance: number },
): Promise<AgentReport> {
  const all = node === config.node ? localInstances() : await peers.localInstances(node);
  if (all === undefined) return { kind: "no-answer" };
  return { kind: "reported", instance: all.find((one) => one.bdb === bdb && one.instance === instance) };
}
