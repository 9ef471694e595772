import type { Clock } from "../../../core/base/clock.ts";
import { Fault, isFault } from "../../../core/base/fault.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import type { ReplyOf, RequestOf, RouteName } from "../../../ports/management/routes.ts";
import type { Leadership } from "../leader/leadership.ts";
import type { Peers } from "../records/peers.ts";
import { refusals, refuse } from "./refusals.ts";

export interface LeaderOnlyDeps {
  readonly self: number;
  readonly leadership: Leadership;
  readonly peers: Peers;
  readonly clock: Clock;
}

/** How long a write waits for somebody to lead, in milliseconds. */
const PATIENCE_MS = 8_000;
const LOOK_MS = 50;

/**
 * Runs `here` when this node leads, else carries the request to the node that does; waits while the leader changes. A
 * request that was carried here already is refused when this node does not lead, so that none goes in circles.
 */
export async function byLeader<N extends RouteName>(
  deps: LeaderOnlyDeps,
  route: N,
  request: RequestOf<N>,
  forwardedBy: string | undefined,
  here: () => Promise<ReplyOf<N>>,
): Promise<ReplyOf<N>> {
  const { leadership, clock, self } = deps;
  const deadline = clock.now().getTime() + PATIENCE_MS;
  for (;;) {
    if (leadership.isLeader()) return here();
    if (forwardedBy !== undefined) throw refuse(refusals.noLeader, `node ${self} does not lead (any more)`);
    const leader = leadership.leader();
    if (leader !== undefined && leader !== self) {
      const reply = await carried(deps, leader, route, request);
      if (reply !== undefined) return reply;
    }
    if (clock.now().getTime() >= deadline)
      throw refuse(refusals.noLeader, `no node has led for ${PATIENCE_MS / 1000} s`);
    await clock.sleep(LOOK_MS);
  }
}

/** Undefined when the other node did not take the request; it may be sent again then. */
async function carried<N extends RouteName>(
  { peers }: LeaderOnlyDeps,
  leader: number,
  route: N,
  request: RequestOf<N>,
): Promise<ReplyOf<N> | undefined> {
  try {
    return await peers.forward(leader, route, request);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.details.status === 503) return undefined;
    if (!isFault(error, managementFaults.unreachable)) throw error;
    if (error.details.mayHaveRun !== true) return undefined;
    throw refuse(
      refusals.internal,
      `node ${leader} leads and did not answer; whether it did what was asked is unknown`,
    );
  }
}
