import { NODE_LEASE_MS } from "../../../../core/planner/node/grant.ts";
import type { ProxyCommand, ProxyReply } from "../../../../ports/management/proxy-control.ts";
import type { LocalInstance } from "../../../../ports/management/records.ts";
import type { NodeAccess } from "../../credentials/node-access.ts";
import type { Members } from "../../members/members.ts";
import { consentTag } from "../../members/pledges.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import type { Handlers } from "../http/handler-call.ts";
import type { NodeLink } from "../../node/link.ts";
import type { NodeMovers } from "../../node/movers.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { nodeTrust, type TrustContext } from "./trust.ts";

/** What the operations of one node for its peers work on. */
export interface LocalContext extends TrustContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly members: Pick<Members, "pledges" | "promise">;
  readonly localInstances: () => readonly LocalInstance[];
  readonly joined: () => boolean;
  readonly access: Pick<NodeAccess, "revision">;
  readonly link: Pick<NodeLink, "used" | "status">;
  readonly movers: Pick<NodeMovers, "ask">;
  /** Sends a command to the proxy of this node. */
  readonly sendToProxy: (command: ProxyCommand) => Promise<ProxyReply>;
}

type LocalRoutes =
  | "bootstrap"
  | "localInstances"
  | "localTrust"
  | "localLink"
  | "localMover"
  | "localVouch"
  | "localConsent"
  | "localProxy";

/** What a node answers about itself, mostly to its peers. */
export function localHandlers(context: LocalContext): Pick<Handlers, LocalRoutes> {
  const { config, members, localInstances, joined, access, link, movers, sendToProxy } = context;
  const trust = nodeTrust(context);
  return {
    bootstrap: async () => {
      if (!joined()) throw refuse(refusals.notJoined, `node ${config.node} has not joined the cluster yet`);
      return { bootstrap_status: { state: "completed" } };
    },
    localInstances: async () => localInstances(),
    localTrust: async () => ({ access_revision: access.revision(), ...trust() }),
    localLink: () => link.status(),
    localMover: ({ body }) => movers.ask(body),
    localVouch: async ({ body: { node, transitions } }) => {
      if (members.promise(node, transitions))
        return { promised_ms: NODE_LEASE_MS, consent_tag: consentTag(members.pledges.consents(), node) };
      const reasons = "it has just started, has consented to a take-over, or knows of another process of that node";
      throw refuse(refusals.takenOver, `node ${config.node} promises nothing to node ${node}: ${reasons}`);
    },
    localConsent: async ({ body }) => ({ consents: members.pledges.consent(body.node) }),
    localProxy: ({ body }) => sendToProxy(body),
  };
}
