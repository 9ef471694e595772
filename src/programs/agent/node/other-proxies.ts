import { isFault, messageOf } from "#kit/base/fault";
import type { ClientsOutcome, ClientsQuestion } from "../../../ports/management/clients-question.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { ScriptsOutcome, ScriptsRequest } from "../../../ports/management/scripts-question.ts";
import { faults } from "../faults.ts";
import type { Member } from "../members/members.ts";
import type { NodeCapability } from "../members/node-report.ts";
import type { Peers } from "../members/peers.ts";
import type { AgentConfig } from "../runtime/config.ts";
import type { ProxyWorker } from "./proxy-worker.ts";

/** What a proxy asks all others that serve its database. */
export interface ProxyQuestion<Answer> {
  readonly command: ProxyCommand;
  /** Nodes without it do not know the command, and are left out. */
  readonly capability: NodeCapability;
  /** Only this node is asked; every node when undefined. */
  readonly only: number | undefined;
  /** Undefined when the reply is to something else. */
  readonly answerIn: (reply: Extract<ProxyReply, { readonly ok: true }>) => Answer | undefined;
  /** The answer of a proxy that does not serve the database yet. */
  readonly unserved: Answer;
}

/** What one of them answered; `missing` says why there is no answer. */
export type ProxyAnswer<Answer> =
  ({ readonly node: number } & Answer) | { readonly node: number; readonly missing: string };

/** What reaching the proxies of other nodes takes. */
export interface OtherNodesContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly members: { list(): readonly AskedMember[] };
  readonly peers: Pick<Peers, "proxy">;
}

interface AskedMember extends Pick<Member, "uid" | "held" | "mayAcknowledge"> {
  readonly report: Pick<Member["report"], "capabilities">;
}

/** Asks the proxies of all other nodes at once; does not reject. A node that can acknowledge nothing and does not answer is left out. */
export async function askOtherNodes<Answer>(
  { config, members, peers }: OtherNodesContext,
  question: ProxyQuestion<Answer>,
): Promise<readonly ProxyAnswer<Answer>[]> {
  const { capability, only, command } = question;
  const meant = members
    .list()
    .filter(({ uid, held, report }) => uid !== config.node && held && report.capabilities.includes(capability))
    .filter(({ uid }) => only === undefined || only === uid);
  const answers = await Promise.all(
    meant.map(async ({ uid, mayAcknowledge }) => {
      try {
        return answerOf(uid, await peers.proxy(uid, command), question);
      } catch (error) {
        return mayAcknowledge ? { node: uid, missing: messageOf(error) } : undefined;
      }
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}

/** All proxies but the one that asks. */
export interface OtherProxies {
  /** uid of this node. */
  readonly node: number;
  /** Its other workers. */
  readonly siblings: readonly Pick<ProxyWorker, "send">[];
  /** Asks the other nodes; it does not reject. */
  readonly askNodes: <Answer>(question: ProxyQuestion<Answer>) => Promise<readonly ProxyAnswer<Answer>[]>;
}

/** Asks the other workers of this node and the other nodes: for a worker, its siblings are like the proxies of other nodes. */
export async function askOtherProxies<Answer>(
  { node, siblings, askNodes }: OtherProxies,
  question: ProxyQuestion<Answer>,
): Promise<readonly ProxyAnswer<Answer>[]> {
  const isHere = question.only === undefined || question.only === node;
  const [others, ...own] = await Promise.all([
    askNodes(question),
    ...(isHere ? siblings : []).map(async (worker) => {
      const reply = await worker.send(question.command).catch(noneOfEnded);
      return reply && answerOf(node, reply, question);
    }),
  ]);
  return [...own.filter((answer) => answer !== undefined), ...others];
}

/** To do to the clients of all proxies what a client asks. */
export function questionAboutClients({ bdb, request, node }: ClientsQuestion): ProxyQuestion<ClientsOutcome> {
  return {
    command: { op: "clients", bdb, request },
    capability: "database-clients", // since 0.4.0
    only: node,
    answerIn: (reply) => (reply.op === "clients" ? { lines: reply.lines, count: reply.count } : undefined),
    unserved: { lines: "", count: 0 },
  };
}

/** To take the scripts that a proxy sends, and to give those that it lacks. */
export function questionAboutScripts(request: ScriptsRequest): ProxyQuestion<ScriptsOutcome> {
  return {
    command: { op: "scripts", ...request },
    capability: "shared-scripts", // since 0.5.0
    only: undefined,
    answerIn: (reply) => (reply.op === "scripts" ? { bodies: reply.bodies, more: reply.more } : undefined),
    unserved: { bodies: [], more: false },
  };
}

function answerOf<Answer>(
  node: number,
  reply: ProxyReply,
  { answerIn, unserved }: ProxyQuestion<Answer>,
): ProxyAnswer<Answer> {
  if (!reply.ok) return reply.code === UNKNOWN_ENDPOINT ? { node, ...unserved } : { node, missing: reply.message };
  const answer = answerIn(reply);
  return answer === undefined ? { node, missing: "it answered something else" } : { node, ...answer };
}

/** The fault of a proxy that does not serve the database yet. */
const UNKNOWN_ENDPOINT = "PROXY_UNKNOWN_ENDPOINT";

/** A worker that has ended gives no answer: its clients have ended too. */
function noneOfEnded(error: unknown): undefined {
  if (!isFault(error, faults.proxyGone)) throw error;
  return undefined;
}
