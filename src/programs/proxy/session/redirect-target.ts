import { messageOf } from "#kit/base/fault";
import type { ClientsOutcome, OtherClients } from "../../../ports/management/clients-question.ts";
import { nodeOfClient } from "../client/identity.ts";
import type { ReceiverOutcome, ReceiverQuestion } from "../pinned/receiver.ts";
import type { AskingSession } from "./database-clients.ts";
import { giveReceiver, receiverRequest } from "./give-receiver.ts";

/**
 * Asks the proxy of another client of the database, at whichever node it is, for its connection to the engine that takes invalidations. A
 * client that has logged in as another user than that of the database may redirect to clients of that user alone.
 */
export async function receiverOf(session: AskingSession, question: ReceiverQuestion): Promise<ReceiverOutcome> {
  const { target, upstream, isMoved } = question;
  const { endpoint, identity } = session;
  if (!Number.isSafeInteger(target) || target <= 0) return { id: 0 };
  const node = nodeOfClient(target);
  try {
    const user = identity.user?.name.toString("latin1");
    const request = receiverRequest(target, await upstream.runId(), isMoved, user);
    const words = request.map((word) => Buffer.from(word, "latin1"));
    const [own, others] = await Promise.all([
      node === endpoint.place.node ? giveReceiver(endpoint, request) : NO_CLIENT,
      endpoint.askOthers(words, node),
    ]);
    return foundIn([{ node: endpoint.place.node, ...own }, ...others]);
  } catch (error) {
    return { missing: messageOf(error) };
  }
}

function foundIn(outcomes: readonly OtherClients[]): ReceiverOutcome {
  const id = Math.max(...outcomes.map((outcome) => ("missing" in outcome ? 0 : outcome.count)));
  const missing = outcomes.find((outcome) => "missing" in outcome);
  if (id > 0 || missing === undefined) return { id };
  return { missing: `node ${missing.node} did not answer: ${missing.missing}` };
}

const NO_CLIENT: ClientsOutcome = { lines: "", count: 0 };
