/** Fields of an INFO reply; where a field stands in several sections, the last one counts. */
export type Info = Pick<ReadonlyMap<string, string>, "get" | "entries">;

/** Family and version that an engine reports of itself. */
export interface ReportedEngine {
  readonly family: "redis" | "valkey" | "redict";
  readonly version: string;
}

/** A replica as its primary reports it. It is "online" once it has the data set, which may be a second before the stream flows. */
export interface ReplicaView {
  readonly host: string;
  readonly port: number;
  readonly state: string;
  /** Last offset it acknowledged, and how many seconds ago. */
  readonly offset: number;
  readonly lagSeconds: number;
}

export interface ReplicationView {
  readonly role: "primary" | "replica";
  readonly replicationId: string;
  /** What a primary has written, or what a replica has applied, in bytes of the replication stream. */
  readonly offset: number;
  /** The replicas of a primary; empty for a replica that has none below itself. */
  readonly replicas: readonly ReplicaView[];
  /** Of a replica: its link to its primary. */
  readonly link?: LinkView;
}

export interface LinkView {
  readonly status: "up" | "down";
  readonly host: string;
  readonly port: number;
  /** A full synchronisation is being received. */
  readonly syncing: boolean;
  /** Bytes of the stream that have come since the last full synchronisation, as many as the backlog holds. */
  readonly receivedBytes: number;
}

/** Reads the text of INFO: comments, empty lines and lines without a colon carry nothing. A field is looked for when it is asked for. */
export function parseInfo(text: string): Info {
  const lines = `\n${text}\n`;
  return {
    get: (field) => {
      const at = lines.lastIndexOf(`\n${field}:`);
      if (at < 0) return undefined;
      const begin = at + field.length + 2;
      const line = lines.slice(begin, lines.indexOf("\n", begin));
      return line.endsWith("\r") ? line.slice(0, -1) : line;
    },
    entries: () => allIn(text).entries(),
  };
}

function allIn(text: string): ReadonlyMap<string, string> {
  const pairs = text
    .split(/\r?\n/)
    .filter((line) => !line.startsWith("#") && line.includes(":"))
    .map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]);
  return new Map(pairs);
}

/** The engine that INFO reports; undefined when it names no version. Valkey and redict report redis 7.2.4 too. */
export function reportedEngine(info: Info): ReportedEngine | undefined {
  for (const family of ["valkey", "redict", "redis"] as const) {
    const version = info.get(`${family}_version`);
    if (version !== undefined && version !== "") return { family, version };
  }
  return undefined;
}

/** What INFO replication reports; undefined when it names no role. */
export function replicationView(info: Info): ReplicationView | undefined {
  const role = info.get("role");
  if (role === undefined) return undefined;
  const replicationId = info.get("master_replid") ?? "";
  const written = count(info.get("master_repl_offset"));
  if (role === "master") return { role: "primary", replicationId, offset: written, replicas: replicasOf(info) };
  const applied = info.get("slave_repl_offset");
  return {
    role: "replica",
    replicationId,
    offset: applied === undefined ? written : count(applied),
    replicas: replicasOf(info),
    link: linkOf(info),
  };
}

function linkOf(info: Info): LinkView {
  return {
    status: info.get("master_link_status") === "up" ? "up" : "down",
    host: info.get("master_host") ?? "",
    port: count(info.get("master_port")),
    syncing: info.get("master_sync_in_progress") === "1",
    receivedBytes: count(info.get("repl_backlog_histlen")),
  };
}

/** Engines number the replicas that they list from 0. */
function replicasOf(info: Info): readonly ReplicaView[] {
  const replicas: ReplicaView[] = [];
  for (let line = info.get("slave0"); line !== undefined; line = info.get(`slave${replicas.length}`))
    replicas.push(replicaOf(line));
  return replicas;
}

function replicaOf(line: string): ReplicaView {
  const fields = new Map(line.split(",").map((part): [string, string] => [fieldName(part), fieldValue(part)]));
  return {
    host: fields.get("ip") ?? "",
    port: count(fields.get("port")),
    state: fields.get("state") ?? "",
    offset: count(fields.get("offset")),
    lagSeconds: count(fields.get("lag")),
  };
}

function fieldName(part: string): string {
  return part.split("=", 1)[0] ?? "";
}

function fieldValue(part: string): string {
  return part.slice(fieldName(part).length + 1);
}

function count(text: string | undefined): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : 0;
}
