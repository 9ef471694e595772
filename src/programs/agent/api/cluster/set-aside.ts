import type { InstanceSupervisor } from "../../../../mechanisms/supervisor/instances.ts";
import type { ReplyOf } from "../../../../ports/management/routes.ts";
import type { Peers } from "../../members/peers.ts";
import { setAsideView } from "../../node/set-aside.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { actingUser } from "../users/acting-user.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What the release of set aside data works on. */
export interface SetAsideContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly peers: Pick<Peers, "forward">;
  readonly supervisor: Pick<InstanceSupervisor, "releaseSetAside" | "setAside">;
}

/** Removes data that node `node` has set aside; the answer is what is left there. AGENT_NO_SUCH_DATA when it has none of that id. */
export async function releaseSetAside(
  { config, peers, supervisor }: SetAsideContext,
  node: number,
  id: string,
): Promise<ReplyOf<"releaseSetAside">> {
  if (node !== config.node) return peers.forward(node, "releaseSetAside", { params: { uid: node, id } }, actingUser());
  if (!supervisor.setAside().some((one) => one.id === id))
    throw refuse(refusals.noSuchData, `node ${node} has no data ${id} set aside`);
  await supervisor.releaseSetAside((one) => one.id === id);
  return setAsideView(supervisor);
}
