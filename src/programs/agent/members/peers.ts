import { PORTS } from "../../../core/api/names.ts";
import type { ClusterUser } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { managementClient } from "../../../ports/management/client.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { MoverQuestion, MoverReply } from "../../../ports/management/mover-control.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { LocalInstance } from "../../../ports/management/records.ts";
import type { ReplyOf, RequestOf, RouteName } from "../../../ports/management/routes.ts";
import { Question } from "../../../mechanisms/observe/question.ts";
import { passedOnWithinMs } from "../../../ports/management/slow-routes.ts";
import { deadlineMs } from "./command-deadline.ts";
import type { GivenPromise } from "./promises.ts";

/** The agents of the other nodes. */
export interface Peers {
  /** The engines of a node; undefined when its agent does not answer. One that did not answer the last time counts as silent after 100 ms. */
  localInstances(node: number): Promise<readonly LocalInstance[] | undefined>;
  /** The shared object of a module; throws the client's Fault when the node does not answer or has none. */
  module(node: number, uid: string): Promise<AsyncIterable<Uint8Array>>;
  /** Sends a command to the proxy of a node; throws the client's Fault when its agent does not answer. */
  proxy(node: number, command: ProxyCommand): Promise<ProxyReply>;
  /** Asks the mover of a database at a node; throws the client's Fault when the agent of the node does not answer. */
  mover(node: number, question: MoverQuestion): Promise<MoverReply>;
  /**
   * Passes a request on for a user, or for the cluster itself when there is none: the other node checks again what that user may do.
   * Throws the client's Fault, with the other node's own answer in its details.
   */
  forward<N extends RouteName>(
    node: number,
    route: N,
    request: RequestOf<N>,
    user: Pick<ClusterUser, "uid" | "secret"> | undefined,
  ): Promise<ReplyOf<N>>;
  /**
   * The node's promise of now to take nothing over from this process of this node for the length of a lease; undefined when it
   * gives none. `transitions` as in this node's Lease, undefined for nodes that do not know it.
   */
  promises(node: number, transitions: number | undefined): Promise<GivenPromise | undefined>;
  /** Whether a voter consents to a take-over from a node. */
  consents(voter: number, node: number): Promise<boolean>;
  /** Whether the agent answers at all; an answer counts for half a second. */
  answers(node: number): Promise<boolean>;
  /** Waits for no answer: a peer that is gone never sends one. */
  close(): Promise<void>;
}

export interface PeersOptions {
  /** uid of this node. */
  readonly self: number;
  readonly addressOf: (node: number) => string | undefined;
  readonly serverName: string;
  readonly clock: Clock;
  /** Read at each call; a change makes new connections. */
  readonly trust: () => { readonly ca: string; readonly username: string; readonly password: string };
}

const TIMEOUT_MS = 1_500;
const ANSWER_COUNTS_MS = 500;
const FORWARD_TIMEOUT_MS = 10_000;
/** For the way to a mover and back. */
const MOVER_ANSWER_MS = 2_000;
/** A command to a proxy answers when it is done, at most after this. */
const COMMAND_TIMEOUT_MS = 60_000;

/** Clients for the peers, made when first needed. */
export function connectPeers(options: PeersOptions): Peers {
  const { self, clock } = options;
  const clients = new PeerClients(options);
  const lastAnswers = new Map<number, { readonly at: number; readonly answers: Promise<boolean> }>();
  const questions = new Map<number, Question<readonly LocalInstance[] | undefined>>();
  const instancesOf = (node: number): Promise<readonly LocalInstance[] | undefined> => {
    const ask = () => clients.of(node, TIMEOUT_MS).call("localInstances").catch(noAnswer);
    const question = questions.get(node) ?? new Question(ask, (answer) => answer === undefined, clock);
    questions.set(node, question);
    return question.ask();
  };
  return {
    localInstances: instancesOf,
    module: (node, uid) => clients.of(node, COMMAND_TIMEOUT_MS).call("localModule", { params: { uid } }),
    proxy: (node, body) => sendCommand(clients.of(node, COMMAND_TIMEOUT_MS), body),
    mover: (node, body) => sendQuestion(clients.of(node, COMMAND_TIMEOUT_MS), body),
    forward: (node, route, request, user) => {
      const withinMs = passedOnWithinMs(route) ?? FORWARD_TIMEOUT_MS;
      return clients.of(node, FORWARD_TIMEOUT_MS).call(route, request, { onBehalfOf: nameOf(user), withinMs });
    },
    promises: async (node, transitions) => {
      const body = transitions === undefined ? { node: self } : { node: self, transitions };
      const answer = await clients.of(node, TIMEOUT_MS).call("localVouch", { body }).catch(noAnswer);
      return answer && { consentTag: answer.consent_tag };
    },
    consents: async (voter, node) => {
      const answer = await clients.of(voter, TIMEOUT_MS).call("localConsent", { body: { node } }).catch(noAnswer);
      return answer?.consents === true;
    },
    answers: (node) => {
      const now = clock.uptimeMs();
      const known = lastAnswers.get(node);
      if (known !== undefined && now - known.at < ANSWER_COUNTS_MS) return known.answers;
      const answers = instancesOf(node).then((instances) => instances !== undefined);
      lastAnswers.set(node, { at: now, answers });
      return answers;
    },
    close: () => clients.close(),
  };
}

/** One client for each peer and timeout, made anew when what it trusts has changed. */
class PeerClients {
  readonly #clients = new Map<string, { readonly trust: string; readonly client: ManagementClient }>();
  readonly #options: PeersOptions;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  of(node: number, timeoutMs: number): ManagementClient {
    const { serverName, self, addressOf } = this.#options;
    const trust = this.#options.trust();
    const mark = JSON.stringify(trust);
    const key = `${node}/${timeoutMs}`;
    const known = this.#clients.get(key);
    if (known?.trust === mark) return known.client;
    void known?.client.close();
    const client = managementClient({
      ...trust,
      timeoutMs,
      port: PORTS.management,
      serverName,
      forwardedBy: self,
      addresses: () => [addressOf(node)].filter((address) => address !== undefined),
    });
    this.#clients.set(key, { trust: mark, client });
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ client }) => client.destroy()));
  }
}

/** As `ON_BEHALF_OF` has it. */
function nameOf(user: Pick<ClusterUser, "uid" | "secret"> | undefined): string {
  return user === undefined ? "cluster" : `${user.uid}/${user.secret}`;
}

function sendCommand(client: ManagementClient, body: ProxyCommand): Promise<ProxyReply> {
  return client.call("localProxy", { body }, { withinMs: deadlineMs(body) });
}

function sendQuestion(client: ManagementClient, body: MoverQuestion): Promise<MoverReply> {
  return client.call("localMover", { body }, { withinMs: MOVER_ANSWER_MS + allowedMs(body) });
}

function allowedMs({ question }: MoverQuestion): number {
  return question.op === "reach" ? question.withinMs : 0;
}

/** The caller decides what a missing answer means. */
function noAnswer(error: unknown): undefined {
  if (!(error instanceof Fault)) throw error;
  return undefined;
}
