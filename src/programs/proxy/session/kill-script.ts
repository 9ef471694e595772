import { messageOf } from "#kit/base/fault";
import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Routes } from "../upstream/only-route.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** The parts of the session that asks for the end of a script. */
export interface KillingSession extends Pick<SessionParts, "work"> {
  readonly endpoint: { readonly routes: Routes<Pick<PrimaryView, "upstream" | "unavailable" | "refusal">> };
  readonly identity: Pick<ClientIdentity, "user">;
  readonly pinned: Pick<PinnedRoute, "current">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
}

/**
 * SCRIPT KILL or FUNCTION KILL on a connection that no client uses: those of clients may wait behind the script. The engine
 * decides, with the rights of the client.
 */
export function forwardScriptKill(session: KillingSession, request: Buffer): boolean {
  if (session.work.hasPending) return false;
  const { routes } = session.endpoint;
  const [{ unavailable, refusal }] = routes;
  const engines = routes.flatMap(({ upstream }) => upstream ?? []);
  if (engines.length === 0) return unavailable && session.turns.answer(refusal);
  const asking = engines.map((engine) => killAt(engine, requestArguments(request), session.identity.user));
  session.turns.waitFor(
    Promise.all(asking).then((answers) => {
      session.turns.answer(answerOf(answers));
    }),
  );
  return true;
}

async function killAt(engine: Upstream, args: readonly Buffer[], user: ClientIdentity["user"]): Promise<Buffer> {
  try {
    const reply = await engine.ask(args, user);
    // it ends a moment later, and what comes meanwhile waits for that
    if (reply.equals(replies.ok)) engine.busy.over();
    return reply;
  } catch (error) {
    return errorReply(`ERR store: the script cannot be ended: ${messageOf(error)}`);
  }
}

/** One shard runs the script: the others say that they run none. */
function answerOf(answers: readonly Buffer[]): Buffer {
  const ofRunning = answers.find((answer) => answer.equals(replies.ok)) ?? answers.find((answer) => !isIdle(answer));
  return ofRunning ?? answers[0] ?? replies.ok;
}

function isIdle(answer: Buffer): boolean {
  return answer.toString("latin1", 0, IDLE.length) === IDLE;
}

const IDLE = "-NOTBUSY";
