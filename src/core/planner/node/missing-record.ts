/** What a node keeps on its volume of the record of a database that has vanished. */
export interface KeptRecord {
  readonly bdb: number;
  readonly name: string;
  /** `createdTime` of the database. */
  readonly created: string;
  /** The version that the API server had given to what is kept; it counts upwards. */
  readonly version: string;
  /** SHA-256 of what is kept. */
  readonly digest: string;
  /** When the node missed the record. */
  readonly since: string;
}

/** What a node says of databases whose records have vanished. */
export interface KeepingNode {
  readonly uid: number;
  /** uids of the databases of which it has set data aside. */
  readonly setAside: readonly number[];
  readonly kept: readonly KeptRecord[];
}

/** A database whose record has vanished while its data is there, and what nodes keep of the record. */
export interface MissingRecord extends KeptRecord {
  /** The nodes that keep this very record. */
  readonly nodes: readonly number[];
  /** Why it is not certain that this was its last record; undefined when it is. */
  readonly doubt: string | undefined;
}

/**
 * The databases whose records can be put back from what nodes keep, or could be if it was certain which record was the last. More than
 * half of all nodes must keep the very same record, and none a later one: neither a node that was away nor one that forges
 * decides what the record was. A database without data that is set aside has nothing to be put back for. `asked`: how many nodes the cluster
 * has as far as the caller knows, also those that report nothing now.
 */
export function missingRecords(nodes: readonly KeepingNode[], asked: number): readonly MissingRecord[] {
  // nodes are numbered from one
  const all = Math.max(asked, nodes.length, ...nodes.map(({ uid }) => uid));
  const databases = new Set(nodes.flatMap(({ kept }) => kept.map(({ bdb }) => bdb)));
  return [...databases]
    .filter((bdb) => nodes.some(({ setAside }) => setAside.includes(bdb)))
    .toSorted((one, other) => one - other)
    .flatMap((bdb) => missingRecord(bdb, nodes, all) ?? []);
}

function missingRecord(bdb: number, nodes: readonly KeepingNode[], all: number): MissingRecord | undefined {
  const copies = nodes.flatMap(({ uid, kept }) =>
    kept.filter((one) => one.bdb === bdb).map((one) => ({ ...one, node: uid })),
  );
  const latest = copies.reduce((version, one) => (BigInt(one.version) > version ? BigInt(one.version) : version), 0n);
  const groups = Map.groupBy(
    copies.filter(({ version }) => BigInt(version) === latest),
    ({ digest, created }) => `${digest} ${created}`,
  );
  const [same] = [...groups.values()].toSorted((one, other) => other.length - one.length);
  const [first] = same ?? [];
  if (same === undefined || first === undefined) return undefined;
  const { node: _node, ...record } = first;
  const holders = same.map(({ node }) => node);
  return { ...record, nodes: holders, doubt: doubtOf(holders, all) };
}

function doubtOf(holders: readonly number[], nodes: number): string | undefined {
  if (holders.length * 2 > nodes) return undefined;
  return `of ${nodes} nodes only ${nodesText(holders)} ${holders.length === 1 ? "keeps" : "keep"} the last record that is known, and more than half must`;
}

/** Nodes for a sentence. */
function nodesText(nodes: readonly number[]): string {
  return nodes.map((node) => `node ${node}`).join(" and ");
}
