import { askedIn } from "../../../../core/api/settings/client-parameters.ts";
import { Fault, isFault } from "#kit/base/fault";
import { PARAMETERS_ANSWER_MS } from "../../../../ports/management/parameters-question.ts";
import type { ParametersOutcome, ParametersRequest } from "../../../../ports/management/parameters-question.ts";
import { faults } from "../../faults.ts";
import { requireClientParameters } from "./checks.ts";
import type { ClientParameterWrites, ClientParametersContext } from "./client-parameters.ts";
import { refusals } from "../http/refusals.ts";
import { runOnLeader } from "../http/run-on-leader.ts";
import type { LeaderContext } from "../http/run-on-leader.ts";

/** The client shall get the reason before its proxy ceases to wait, in milliseconds. */
const LEADER_MS = PARAMETERS_ANSWER_MS - 1_500;

/** What answering a proxy takes. */
export interface ParametersOfClientsContext extends LeaderContext, Pick<ClientParametersContext, "members"> {
  readonly clientParameters: Pick<ClientParameterWrites, "set">;
}

/** Lets the leader keep what clients of this node set by CONFIG SET, and leaves a line in the log for it; does not reject. */
export async function setForClients(
  context: ParametersOfClientsContext,
  { bdb, parameters, clients }: ParametersRequest,
): Promise<ParametersOutcome> {
  const said = { bdb, parameters, clients };
  try {
    // a leader of an older release does not know the request
    requireClientParameters(context);
    const request = { params: { uid: String(bdb) }, body: { parameters } };
    const here = () => context.clientParameters.set(bdb, askedIn(parameters));
    const { revision } = await runOnLeader(context, "setClientParameters", request, undefined, here, LEADER_MS);
    context.log.info("parameters of clients are kept", { ...said, revision });
    return { revision };
  } catch (error) {
    context.log.warn("parameters of clients are not kept", { ...said, error });
    return { refused: refusedFor(error) };
  }
}

/** Clients get the reasons of the cluster; addresses and answers of other servers are for the log. */
function refusedFor(error: unknown): { readonly code: string; readonly message: string; readonly remedy: string } {
  const isSaid = SAID.some((refusal) => isFault(error, refusal));
  if (isSaid && error instanceof Fault) return { code: error.code, message: error.message, remedy: error.remedy };
  return { ...faults.parametersNotKept, message: "the record of the database could not be written" };
}

const SAID = [refusals.olderNode, refusals.noLeader, refusals.busy, refusals.noSuchDatabase];
