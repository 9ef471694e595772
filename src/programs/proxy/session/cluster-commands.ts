import { messageOf } from "#kit/base/fault";
import { slotOf } from "../../../core/slots/slot.ts";
import type { ClusterMap } from "../../../core/slots/cluster-map.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { errorReplyOf } from "../../../ports/resp/engine-client.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import {
  clusterInfoReply,
  clusterWords,
  helpReply,
  nodesReply,
  shardsReply,
  slotsReply,
  verbatim,
} from "../protocol/cluster-replies.ts";
import { keyword } from "../protocol/arguments.ts";
import { mergeInfo } from "../protocol/merged-info.ts";
import { arrayReply, bulkReply, errorReply, integerReply, replies, wrongNumber } from "../protocol/replies.ts";
import { hasArity } from "../protocol/table/has-arity.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { isOfCluster } from "../protocol/table/of-cluster.ts";
import { askAll, type AskedEndpoint } from "./ask-primary.ts";
import { redirectionOf, type MovedClient } from "./moved-slots.ts";

/** The parts of a session whose client may be one of a cluster. */
export interface ClusterSession extends MovedClient {
  readonly identity: ClientIdentity;
  readonly endpoint: AskedEndpoint & MovedClient["endpoint"];
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
  readonly work: SessionParts["work"];
}

/** Answers what a client asks of a cluster, and what one of a cluster asks of a node that does not serve its slots; undefined for what is taken as usual, false when it cannot be answered yet. */
export function takeOfCluster(session: ClusterSession, request: Buffer, name: string): boolean | undefined {
  const { endpoint, identity, turns } = session;
  const { map } = endpoint.place;
  if (map === undefined) return undefined;
  // a user of an engine has the rights that the engine gives
  if (name === "INFO") return identity.user === undefined ? answerInfo(session, request) : undefined;
  if (!isOfCluster(name)) {
    const moved = redirectionOf(session, map, name, request);
    return moved === undefined ? undefined : turns.answer(moved);
  }
  const args = requestArguments(request);
  if (!hasArity(name, args.length)) return turns.answer(wrongNumber(name));
  const isTaken = turns.answer(answerFor(name, map, identity.settings.protocol, args));
  if (isTaken) noteReads(identity, name);
  return isTaken;
}

/** The entry of a command that is queued in a transaction: where clients see a cluster, the proxy answers some that engines know nothing of. */
export function entryInside({ place }: Pick<ClusterSession["endpoint"], "place">, command: CommandEntry): CommandEntry {
  return place.map !== undefined && isOfCluster(command.name) ? { ...command, commandClass: "view" } : command;
}

/** The answer to a command of a cluster in a transaction that is executed now. */
export function answerInside(
  {
    endpoint,
    identity,
  }: Pick<ClusterSession, "identity"> & { readonly endpoint: Pick<ClusterSession["endpoint"], "place"> },
  args: readonly Buffer[],
): Buffer {
  const [verb, subcommand] = [keyword(args[0]), keyword(args[1])];
  const name = verb === "CLUSTER" ? `${verb}|${subcommand}` : verb;
  const { map } = endpoint.place;
  if (map === undefined) return NO_CLUSTER;
  noteReads(identity, name);
  return answerFor(name, map, identity.settings.protocol, args);
}

/** As engines say it. */
const NO_CLUSTER = errorReply("ERR This instance has cluster support disabled");

function noteReads({ ofCluster }: ClientIdentity, name: string): void {
  if (ofCluster !== undefined && SETS_READS.has(name)) ofCluster.readsReplicas = name === "READONLY";
}

const SETS_READS: ReadonlySet<string> = new Set(["READONLY", "READWRITE"]);

function answerFor(name: string, map: ClusterMap, protocol: number, [, , key]: readonly Buffer[]): Buffer {
  const reply = MAP_REPLIES[name];
  if (reply !== undefined) return reply(map, protocol);
  if (!name.includes("|")) return replies.ok; // READONLY, READWRITE, ASKING: each node takes all requests
  if (name === "CLUSTER|KEYSLOT") return integerReply(slotOf(key ?? Buffer.alloc(0)));
  return errorReply(
    `ERR store: ${name.replace("|", " ")} is not available at an endpoint: engines keep no keys by slot`,
  );
}

const MAP_REPLIES: Readonly<Record<string, (map: ClusterMap, protocol: number) => Buffer>> = {
  "CLUSTER|SLOTS": slotsReply,
  "CLUSTER|SHARDS": shardsReply,
  "CLUSTER|NODES": nodesReply,
  "CLUSTER|INFO": clusterInfoReply,
  "CLUSTER|LINKS": () => arrayReply([]),
  "CLUSTER|HELP": () => helpReply(),
  "CLUSTER|MYID": ({ own }) => bulkReply(Buffer.from(own.id), 2),
  "CLUSTER|MYSHARDID": ({ own }) => bulkReply(Buffer.from(own.group), 2),
};

/** INFO of engines, which are no cluster, in the words of one. */
function answerInfo(session: ClusterSession, request: Buffer): boolean {
  if (session.work.hasPending) return false;
  const { turns } = session;
  turns.waitFor(infoOf(session, requestArguments(request)).then((reply) => void turns.answer(reply)));
  return true;
}

async function infoOf({ endpoint, identity }: ClusterSession, args: readonly Buffer[]): Promise<Buffer> {
  try {
    const asked = await askAll(endpoint, args);
    if ("refusal" in asked) return asked.refusal;
    const [first = "", ...others] = asked.replies.map((reply) => textOf(reply));
    const info = others.length === 0 ? first : mergeInfo([first, ...others]);
    return verbatim(clusterWords(info), identity.settings.protocol);
  } catch (error) {
    return errorReply(errorReplyOf(error) ?? `ERR store: no INFO: ${messageOf(error)}`);
  }
}
