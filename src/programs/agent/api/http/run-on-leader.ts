import type { Clock } from "#kit/base/clock";
import { Fault, isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { NOT_RUN } from "../../../../ports/management/answer.ts";
import { faults as managementFaults } from "../../../../ports/management/faults.ts";
import { routes, type ReplyOf, type RequestOf, type RouteName } from "../../../../ports/management/routes.ts";
import type { LeaderElection } from "../../members/leader-election.ts";
import type { Peers } from "../../members/peers.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { actingUser } from "../users/acting-user.ts";
import { refusals, refuse } from "./refusals.ts";

/** What finding the leader takes. */
export interface LeaderContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly election: Pick<LeaderElection, "isLeader" | "leader">;
  readonly peers: Pick<Peers, "forward">;
  readonly records: Pick<Records, "reload">;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a write waits for a leader when it is not said otherwise, in milliseconds. */
const DEADLINE_MS = 8_000;
const POLL_MS = 50;

/**
 * Runs `here` when this node leads, else forwards the request to the leader; waits while the leader changes. What the leader
 * wrote is read before the reply, so that the caller's next question to this node has it in its answer. A request that was
 * forwarded here is refused when this node does not lead, so that none goes in circles. The leader gets to know for which user it is,
 * and checks again what that user may do. AGENT_NO_LEADER after `withinMs`.
 */
export async function runOnLeader<N extends RouteName>(
  context: LeaderContext,
  route: N,
  request: RequestOf<N>,
  forwardedBy: string | undefined,
  here: () => Promise<ReplyOf<N>>,
  withinMs = DEADLINE_MS,
): Promise<ReplyOf<N>> {
  const { election, clock, config } = context;
  const deadline = clock.uptimeMs() + withinMs;
  for (;;) {
    // looked at before the leader: what is looked at last is looked at when the time is over
    const isLate = clock.uptimeMs() >= deadline;
    if (election.isLeader()) return here();
    if (forwardedBy !== undefined) throw refuse(refusals.noLeader, `node ${config.node} does not lead (any more)`);
    const leader = election.leader();
    if (leader !== undefined && leader !== config.node) {
      const reply = await forwardToLeader(context, leader, route, request);
      if (reply !== undefined) {
        await readWritten(context, recordOf(route, request, reply));
        return reply;
      }
    }
    if (isLate) throw refuse(refusals.noLeader, `no node has led for ${withinMs / 1000} s`);
    await clock.sleep(POLL_MS);
  }
}

/** The record that a write has changed. */
function recordOf<N extends RouteName>(route: N, request: RequestOf<N>, reply: ReplyOf<N>): number | "cluster" {
  if (!routes[route].path.startsWith("/v1/bdbs")) return "cluster";
  const named = request.params !== undefined && "uid" in request.params ? request.params : reply;
  return typeof named === "object" && "uid" in named ? Number(named.uid) : "cluster";
}

/** The write is made: where this fails, the informer brings it a little later. */
async function readWritten({ records, log }: LeaderContext, of: number | "cluster"): Promise<void> {
  try {
    await records.reload(of);
  } catch (error) {
    log.warn("the record that the leader has written could not be read at once", { record: of, error });
  }
}

/** Undefined when the other node did not run the request; it may be sent again then. */
async function forwardToLeader<N extends RouteName>(
  { peers }: LeaderContext,
  leader: number,
  route: N,
  request: RequestOf<N>,
): Promise<ReplyOf<N> | undefined> {
  try {
    return await peers.forward(leader, route, request, actingUser());
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { status, error_code } = error.details;
    if (status === 503 && NOT_RUN.includes(String(error_code))) return undefined;
    if (!isFault(error, managementFaults.unreachable)) throw error;
    if (error.details.mayHaveRun !== true) return undefined;
    throw refuse(
      refusals.internal,
      `node ${leader} leads and did not answer; whether it did what was asked is unknown`,
    );
  }
}
