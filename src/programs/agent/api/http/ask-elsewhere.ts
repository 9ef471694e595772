import { Fault } from "#kit/base/fault";
import { routes } from "../../../../ports/management/routes.ts";
import type { ReplyOf, RequestOf, RouteName } from "../../../../ports/management/routes.ts";
import type { Peers } from "../../members/peers.ts";
import { actingUser } from "../users/acting-user.ts";
import type { HandlerCall } from "./handler-call.ts";
import { refusals, refuse } from "./refusals.ts";

/** What finding a node with current records takes. */
export interface ElsewhereContext {
  readonly node: number;
  /** The Kubernetes API has not confirmed a renewal of this node for the length of a lease. */
  readonly isStale: () => boolean;
  readonly others: () => readonly number[];
  readonly peers: Pick<Peers, "forward">;
}

export type AskElsewhere = <N extends RouteName>(name: N, call: HandlerCall<N>) => Promise<ReplyOf<N> | undefined>;

/**
 * The answer of a node that reaches the Kubernetes API, when this one does not: its records may be old. Undefined when this node
 * may answer itself: its records are current, it was asked about itself, or no other one knows more.
 */
export function elsewhere(context: ElsewhereContext): AskElsewhere {
  return (name, call) => askOthers(context, name, call);
}

async function askOthers<N extends RouteName>(
  context: ElsewhereContext,
  name: N,
  call: HandlerCall<N>,
): Promise<ReplyOf<N> | undefined> {
  const { method, path, auth, gives } = routes[name];
  const isAboutNode = path.startsWith("/v1/local/") || gives === "text";
  const isAboutCluster = method === "GET" && auth !== "none" && !isAboutNode;
  // what selects among answers is not passed on
  const selects = Object.keys(call.query).some((parameter) => parameter !== "fields");
  if (!isAboutCluster || selects || !context.isStale()) return undefined;
  if (call.forwardedBy !== undefined)
    throw refuse(refusals.stale, `the Kubernetes API does not reach node ${context.node}: its records may be old`);
  for (const other of context.others()) {
    const answer = await askOne(context, other, name, call);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

async function askOne<N extends RouteName>(
  { peers }: ElsewhereContext,
  node: number,
  name: N,
  { params }: HandlerCall<N>,
): Promise<ReplyOf<N> | undefined> {
  try {
    // a route that reads has no body, and its parameters are those of its path
    return await peers.forward(node, name, { params } as RequestOf<N>, actingUser());
  } catch (error) {
    // what the other node refuses this one would refuse too; a node that is not there or as stale knows no more
    if (!(error instanceof Fault)) throw error;
    return undefined;
  }
}
