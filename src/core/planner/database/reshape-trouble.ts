import { getObjects, patchCluster, patchDatabase } from "../../api/kubectl.ts";
import type { DatabaseRecord, ReshapeIntent } from "../../api/records.ts";
import { type FindingOf, wait } from "../findings/finding.ts";
import type { NodeFacts } from "./facts.ts";
import type { NoPlace } from "./placement.ts";
import { askedTable } from "./replaced-shards.ts";
import type { CopyFailure } from "./reshape-facts.ts";

/** What keeps other shards from being made until a user does something. */
export type ShardsTrouble = FindingOf<"ShardCopyFails" | "ShardsLackRoom">;

/** Failures that come again as long as the data or a client are as they are, with what else than the former number helps. */
const LASTING: ReadonlyMap<string, string> = new Map([
  ["SLOTS_UNKNOWN_DATA", "upgrade the cluster to a release that knows such data: storectl plan"],
  ["MOVER_UNKNOWN_COMMAND", "let no client use that command until the new shards serve"],
]);

/** From this attempt on a user is to know that copying fails. */
const MANY_ATTEMPTS = 5;

/** True when the next attempt ends in the same way, unless somebody does something. */
export function isLasting({ code }: CopyFailure): boolean {
  return LASTING.has(code);
}

/** The finding of a copy that cannot succeed, or has failed again and again; undefined while the next attempt may well succeed. */
export function copyTrouble(
  record: NamedShards,
  { attempt }: Pick<ReshapeIntent, "attempt">,
  { code, why }: CopyFailure,
): ShardsTrouble | undefined {
  const helps = LASTING.get(code);
  if (helps === undefined && attempt < MANY_ATTEMPTS) return undefined;
  const times = attempt === 1 ? "once" : `${attempt} times`;
  const { name, shards } = record;
  const keep = keepShards(record);
  return wait(
    "ShardCopyFails",
    `"${name}" has ${shards.length} and gets ${askedTable(record).length} shards, and copying its keys has failed ${times}, with ${code}: ${why} Its clients are served as before; an upgrade of it and other moves wait`,
    helps === undefined ? `end what fails, or keep ${keep}` : `keep ${keep}; or ${helps}`,
  );
}

/** The finding of shards that find no place. */
export function roomTrouble(
  record: NamedShards,
  nodes: readonly Pick<NodeFacts, "pod">[],
  { evidence }: NoPlace,
): ShardsTrouble {
  const { name, shards } = record;
  const to = askedTable(record).length;
  const change = to === shards.length ? "others" : `${to}`;
  return wait(
    "ShardsLackRoom",
    `"${name}" has ${shards.length} shards and cannot get ${change}: ${evidence}`,
    `keep ${keepShards(record)}; or ${[...moreNodes(nodes), `delete a database: ${getObjects("redb")}`].join("; or ")}`,
  );
}

/** What a record says of its shards, and of those that are asked for. */
type NamedShards = Pick<DatabaseRecord, "name" | "shards" | "shardCount" | "shardSlots">;

/** How to ask for the shards that serve, which ends the change. */
export function keepShards({ name, shards, shardSlots }: NamedShards): string {
  const named = shardSlots === undefined ? {} : { shardSlots: null };
  return `the shards that serve: ${patchDatabase(name, { shardCount: shards.length, ...named })}`;
}

/** The next odd number of nodes. */
function moreNodes(nodes: readonly Pick<NodeFacts, "pod">[]): readonly string[] {
  const [{ pod } = { pod: "" }] = nodes;
  const cluster = pod.slice(0, Math.max(0, pod.lastIndexOf("-")));
  if (cluster === "") return [];
  const count = nodes.length + (nodes.length % 2 === 0 ? 1 : 2);
  return [`add nodes: ${patchCluster(cluster, { nodes: count })}`];
}
