import { clusterNames } from "../../api/names.ts";
import { SECRETS_AHEAD } from "../../api/secrets-ahead.ts";
import type { PolledCluster, Unreachable } from "../view/cluster-view.ts";

/** The facts that say which Secrets the nodes of a cluster have, and which they need next. */
export interface SecretFacts extends SecretCounters {
  readonly cluster: string;
  /** uids of the databases that have a record. */
  readonly databases: readonly number[];
  /** Names that the users in the record have, as nodes wrote them: a request, and no right. */
  readonly users: readonly string[];
  /** Names of the Secrets that are marked as the cluster's. */
  readonly there: readonly string[];
  /** Names of Secrets that are there and are not marked as this cluster's. */
  readonly foreign: readonly string[];
}

/** How far the record of a cluster has counted. */
export interface SecretCounters {
  /** uid that the next database gets. */
  readonly nextDatabase: number;
  /** Number that the next Secret of a user gets. */
  readonly nextUserSecret: number;
}

/**
 * Names of the Secrets that the nodes may read, change and remove: existing and next ones, each once, in a fixed order. Only nodes use names of
 * this form: a request for another name, or for a Secret of another owner, gets nothing.
 */
export function nodeSecrets(facts: SecretFacts): readonly string[] {
  const { cluster, databases, users, there, foreign } = facts;
  const uids = [1, ...databases];
  const names = new Set([
    ...uids.map((uid) => clusterNames.databaseSecret(cluster, uid)),
    ...users,
    ...secretsAhead(cluster, facts),
    ...there,
  ]);
  const granted = [...names].filter((name) => isOfNodes(cluster, name) && !foreign.includes(name));
  return granted.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

/** Names of the Secrets that the next databases and users get, the lowest numbers first. */
export function secretsAhead(cluster: string, { nextDatabase, nextUserSecret }: SecretCounters): readonly string[] {
  return [
    ...numbersFrom(nextDatabase, SECRETS_AHEAD.databases).map((uid) => clusterNames.databaseSecret(cluster, uid)),
    ...numbersFrom(nextUserSecret, SECRETS_AHEAD.users).map((one) => clusterNames.userSecret(cluster, String(one))),
  ];
}

/**
 * Whether the Role of the nodes lists these names alone. Nodes of releases before 0.4.0 give the Secrets of users names that cannot be foreseen:
 * their cluster gets the list once each of its nodes uses foreseeable names. A new cluster begins with the list, and no report of nodes removes
 * it, because nodes would gain by that.
 */
export function mayNameSecrets(cluster: PolledCluster | Unreachable, role: "none" | "all" | "names"): boolean {
  return role !== "all" || doAll(cluster, "named-secrets");
}

/**
 * Whether nodes find their Secrets made, and may make none. Nodes of releases before 0.5.0 make their own Secrets: their cluster loses the right
 * once each of its nodes looks for Secrets that are made ahead, and no report of nodes gives it back.
 */
export function findsSecrets(cluster: PolledCluster | Unreachable, role: "makes" | "finds"): boolean {
  return role === "finds" || doAll(cluster, "prepared-secrets");
}

function doAll(cluster: PolledCluster | Unreachable, capability: string): boolean {
  if (!cluster.reachable) return false;
  return cluster.nodes.length > 0 && cluster.nodes.every(({ capabilities }) => capabilities.includes(capability));
}

/** Whether a Secret has a name as only Secrets of nodes have; the operator labels its own Secrets like these. */
export function isOfNodes(cluster: string, name: string): boolean {
  const rest = name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : "";
  return /^(db-\d+|user-[0-9a-f]+)$/.test(rest);
}

function numbersFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
