import { clusterNames } from "../../api/names.ts";
import type { PolledCluster, Unreachable } from "../view/cluster-view.ts";

/** What says which Secrets the nodes of a cluster have, and are about to make. */
export interface SecretFacts {
  readonly cluster: string;
  /** uids of the databases that have a record. */
  readonly databases: readonly number[];
  /** uid that the next database gets. */
  readonly nextDatabase: number;
  /** Names that the users in the record have, as nodes wrote them: a request, and no right. */
  readonly users: readonly string[];
  /** Number that the next Secret of a user gets. */
  readonly nextUserSecret: number;
  /** Names of the Secrets that nodes have made and not removed yet. */
  readonly there: readonly string[];
  /** Names of Secrets that are there and are not marked as this cluster's. */
  readonly foreign: readonly string[];
}

/** So many databases and users are made while no operator runs. */
const AHEAD = { databases: 32, users: 16 };

/**
 * Names of the Secrets that the nodes may read, change and remove: what there is, and what comes next. Each once, in a fixed order,
 * and each of a form that only nodes use: what asks for another one, or for a Secret of somebody else, gets nothing.
 */
export function nodeSecrets(facts: SecretFacts): readonly string[] {
  const { cluster, databases, nextDatabase, users, nextUserSecret, there, foreign } = facts;
  const uids = new Set([1, ...databases, ...numbersFrom(nextDatabase, AHEAD.databases)]);
  const names = new Set([
    ...[...uids].map((uid) => clusterNames.databaseSecret(cluster, uid)),
    ...users,
    ...numbersFrom(nextUserSecret, AHEAD.users).map((number) => clusterNames.userSecret(cluster, String(number))),
    ...there,
  ]);
  const granted = [...names].filter((name) => isOfNodes(cluster, name) && !foreign.includes(name));
  return granted.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

/**
 * Whether nodes get those names alone. Nodes of releases before 0.4.0 name the Secrets of users as no one can foresee: a cluster that
 * such an operator has made gets names once each of its nodes foresees its own. A new one begins with names, and what nodes say later
 * takes them away from no Role: it is they who would gain.
 */
export function mayNameSecrets(cluster: PolledCluster | Unreachable, role: "none" | "all" | "names"): boolean {
  if (role !== "all") return true;
  if (!cluster.reachable) return false;
  return cluster.nodes.length > 0 && cluster.nodes.every(({ capabilities }) => capabilities.includes("named-secrets"));
}

/** Nodes use no other Secrets; the operator labels its own as they do. */
function isOfNodes(cluster: string, name: string): boolean {
  const rest = name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : "";
  return /^(db-\d+|user-[0-9a-f]+)$/.test(rest);
}

function numbersFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
