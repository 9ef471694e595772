import type { SlotRange } from "../../../core/base/slot-range.ts";
import { followersOf, type ClusterMap, type ClusterMember } from "../../../core/slots/cluster-map.ts";
import { SLOTS } from "../../../core/slots/slot.ts";
import { arrayReply, bulkReply, integerReply, mapReply } from "./replies.ts";

/** The reply to CLUSTER SLOTS. */
export function slotsReply(map: ClusterMap, protocol: number): Buffer {
  const rows = map.members.flatMap((member) => member.slots.map((range) => ({ member, range })));
  const sorted = rows.toSorted((one, other) => one.range.from - other.range.from);
  const place = ({ host, port, id }: ClusterMember): Buffer =>
    arrayReply([text(host), integerReply(port), text(id), fields([], protocol)]);
  return arrayReply(
    sorted.map(({ member, range: { from, to } }) =>
      arrayReply([
        integerReply(from),
        integerReply(to),
        place(member),
        ...followersOf(map, member).map((replica) => place(replica)),
      ]),
    ),
  );
}

/** The reply to CLUSTER SHARDS. */
export function shardsReply(map: ClusterMap, protocol: number): Buffer {
  const shards = map.members.filter(({ replicaOf }) => replicaOf === undefined);
  return arrayReply(
    shards.map((primary) => {
      const bounds = primary.slots.flatMap(({ from, to }) => [integerReply(from), integerReply(to)]);
      const nodes = [primary, ...followersOf(map, primary)].map((member) =>
        nodeFields(member, map.speaksTls, protocol),
      );
      return fields([text("slots"), arrayReply(bounds), text("nodes"), arrayReply(nodes)], protocol);
    }),
  );
}

/** The reply to CLUSTER NODES. */
export function nodesReply({ own, members }: ClusterMap, protocol: number): Buffer {
  const lines = members.map((member) => {
    const { id, host, port, replicaOf, slots } = member;
    const flags = [...(member === own ? ["myself"] : []), replicaOf === undefined ? "master" : "slave"];
    const words = [
      id,
      `${host}:${port}@0`,
      flags.join(","),
      replicaOf ?? "-",
      "0 0 0 connected",
      ...slots.map(rangeText),
    ];
    return `${words.join(" ")}\n`;
  });
  return verbatim(lines.join(""), protocol);
}

/** The reply to CLUSTER INFO: all slots are served. */
export function clusterInfoReply({ members }: ClusterMap, protocol: number): Buffer {
  const primaries = members.filter(({ replicaOf }) => replicaOf === undefined).length;
  const lines = [
    "cluster_state:ok",
    `cluster_slots_assigned:${SLOTS}`,
    `cluster_slots_ok:${SLOTS}`,
    "cluster_slots_pfail:0",
    "cluster_slots_fail:0",
    `cluster_known_nodes:${members.length}`,
    `cluster_size:${primaries}`,
    "cluster_current_epoch:0",
    "cluster_my_epoch:0",
    "cluster_stats_messages_sent:0",
    "cluster_stats_messages_received:0",
    "total_cluster_links_buffer_limit_exceeded:0",
  ];
  return verbatim(lines.map((line) => `${line}\r\n`).join(""), protocol);
}

/** The reply to CLUSTER HELP: what is answered here. */
export function helpReply(): Buffer {
  return arrayReply(HELP.map((line) => Buffer.from(`+${line}\r\n`)));
}

const HELP = [
  "CLUSTER <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
  "INFO",
  "    Return information about the cluster.",
  "KEYSLOT <key>",
  "    Return the hash slot for <key>.",
  "LINKS",
  "    Return nothing: there are no links between nodes.",
  "MYID",
  "    Return the node id.",
  "MYSHARDID",
  "    Return the id of the node and its replicas together.",
  "NODES",
  "    Return which node serves which slots, a line for each node.",
  "SHARDS",
  "    Return which node serves which slots, with its replicas.",
  "SLOTS",
  "    Return which node serves which slots, by range of slots.",
  "HELP",
  "    Print this help.",
];

/** INFO of engines, which are no cluster, as a client of a cluster expects it. */
export function clusterWords(info: string): string {
  return info
    .replace(/^((?:redis|server)_mode:)standalone(?=\r$)/m, "$1cluster")
    .replace(/^(cluster_enabled:)0(?=\r$)/m, "$11");
}

/** A text as engines send it to people: in RESP3 it says that it is one. */
export function verbatim(content: string, protocol: number): Buffer {
  const bytes = Buffer.from(content);
  if (protocol !== 3) return bulkReply(bytes, protocol);
  return Buffer.concat([Buffer.from(`=${bytes.length + TEXT.length}\r\n${TEXT}`), bytes, Buffer.from("\r\n")]);
}

function nodeFields({ id, host, port, replicaOf }: ClusterMember, speaksTls: boolean, protocol: number): Buffer {
  const named = [
    [text("id"), text(id)],
    [text(speaksTls ? "tls-port" : "port"), integerReply(port)],
    [text("ip"), text(host)],
    [text("endpoint"), text(host)],
    [text("role"), text(replicaOf === undefined ? "master" : "replica")],
    [text("replication-offset"), integerReply(0)],
    [text("health"), text("online")],
  ];
  return fields(named.flat(), protocol);
}

/** Names and values in turn: a map in RESP3. */
function fields(encoded: readonly Buffer[], protocol: number): Buffer {
  return protocol === 3 ? mapReply(encoded) : arrayReply(encoded);
}

function text(value: string): Buffer {
  return bulkReply(Buffer.from(value), 2);
}

function rangeText({ from, to }: SlotRange): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

const TEXT = "txt:";
