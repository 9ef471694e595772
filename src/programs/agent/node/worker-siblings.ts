import { isFault } from "#kit/base/fault";
import type { ClientsQuestion, OtherClients } from "../../../ports/management/clients-question.ts";
import type { OtherScripts, ScriptsRequest } from "../../../ports/management/scripts-question.ts";
import { faults } from "../faults.ts";
import { clientsAnswer } from "./other-clients.ts";
import { scriptsIn } from "./other-scripts.ts";
import type { ProxyChildOptions } from "./proxy-child.ts";
import type { ProxyWorker } from "./proxy-worker.ts";

/** All proxies but the one that asks. */
export interface OtherProxies<Ask> {
  /** uid of this node. */
  readonly node: number;
  /** Its other workers. */
  readonly siblings: readonly Pick<ProxyWorker, "send">[];
  /** Asks the other nodes; it does not reject. */
  readonly askNodes: Ask;
}

/** Carries out what a client asks of all clients of its database: for a worker, clients of other workers are like those of other nodes. */
export async function askForWorker(
  { node, siblings, askNodes }: OtherProxies<ProxyChildOptions["askOthers"]>,
  question: ClientsQuestion,
): Promise<readonly OtherClients[]> {
  const isHere = question.node === undefined || question.node === node;
  const [others, ...own] = await Promise.all([
    askNodes(question),
    ...(isHere ? siblings : []).map((worker) => askSibling(worker, node, question)),
  ]);
  return [...own.filter((answer) => answer !== undefined), ...others];
}

/** Sends scripts to the other workers and nodes, and asks for theirs. */
export async function shareForWorker(
  { node, siblings, askNodes }: OtherProxies<ProxyChildOptions["askScripts"]>,
  request: ScriptsRequest,
): Promise<readonly OtherScripts[]> {
  const [others, ...own] = await Promise.all([
    askNodes(request),
    ...siblings.map(async (worker) => {
      const reply = await worker.send({ op: "scripts", ...request }).catch(noneOfEnded);
      return reply && scriptsIn(node, reply);
    }),
  ]);
  return [...own.filter((answer) => answer !== undefined), ...others];
}

/** The answer of a sibling; undefined when it has ended, since its clients have ended too. */
async function askSibling(
  worker: Pick<ProxyWorker, "send">,
  node: number,
  { bdb, request }: ClientsQuestion,
): Promise<OtherClients | undefined> {
  const reply = await worker.send({ op: "clients", bdb, request }).catch(noneOfEnded);
  return reply && clientsAnswer(node, reply);
}

function noneOfEnded(error: unknown): undefined {
  if (!isFault(error, faults.proxyGone)) throw error;
  return undefined;
}
