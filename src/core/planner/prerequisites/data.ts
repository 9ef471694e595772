import { needText, roomText } from "#kit/base/sizes";
import { describeObject, patchDatabase, patchDatabaseVersion } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { isOlder } from "../upgrade-path/state.ts";
import type { ClusterDatabase } from "../view/cluster-view.ts";
import { block, consent, warn } from "../findings/finding.ts";
import { defineCheck, quotedNames } from "./check.ts";

/** What a node holds has to fit on the others while it is away. */
export const capacitySuffices = defineCheck({
  id: "CapacityShort",
  asks: "the other nodes can take what one node holds",
  at: ["plan"],
  ofUpgrades: true,
  needs: ["cluster"],
  find({ view: { cluster } }) {
    if (!cluster.reachable || cluster.nodes.length === 0) return undefined;
    const largest = Math.max(...cluster.nodes.map(({ memoryBytes }) => memoryBytes));
    const others = cluster.nodes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) - largest;
    const wanted = cluster.databases.reduce(
      (sum, { memoryBytes, replication }) => sum + memoryBytes * (replication ? 2 : 1),
      0,
    );
    if (wanted <= others) return undefined;
    return block(
      "CapacityShort",
      `databases may take ${needText(wanted)} and the nodes without the largest one have ${roomText(others)}`,
      "raise spec.nodes, or lower spec.memorySize of databases",
    );
  },
});

/** One failure loses a database whose only copy is in memory. */
export const replicasAreEnough = defineCheck({
  id: "SingleCopy",
  asks: "every database has a replica or keeps its data on disk",
  at: ["plan"],
  needs: ["cluster"],
  find({ view: { cluster } }) {
    const single = cluster.reachable ? cluster.databases.filter(({ replication }) => !replication) : [];
    const bare = single.filter(({ persistence }) => persistence === "disabled");
    if (bare.length > 0) {
      return consent(
        "SingleCopy",
        `one copy, in memory only: ${quotedNames(bare)}; it moves to another node and back, and an accident meanwhile loses it`,
        `${replicate(bare)}  # or take a copy of the data first`,
      );
    }
    if (single.length > 0)
      return warn("SingleCopy", `one copy, moved while its node is away: ${quotedNames(single)}`, replicate(single));
    return cluster.reachable && cluster.nodes.length < NODES_FOR_A_SPARE_REPLICA
      ? replacementMissing(cluster.databases)
      : undefined;
  },
});

/** An upgrade that an object asks for begins as soon as management goes on. */
export const noUpgradeWaits = defineCheck({
  id: "DatabaseUpgradeWaits",
  asks: "no database is upgraded automatically after the cluster",
  at: ["plan"],
  needs: ["cluster", "desiredDatabases"],
  find({ view: { cluster }, environment: { desiredDatabases } }) {
    if (!cluster.reachable || desiredDatabases?.read !== true) return undefined;
    const waiting = desiredDatabases.value.flatMap(({ name, storeVersion }) => {
      const database = cluster.databases.find((one) => one.name === name);
      if (database === undefined || storeVersion === undefined) return [];
      return isOlder(database.storeVersion, storeVersion)
        ? [{ name, from: database.storeVersion, to: storeVersion }]
        : [];
    });
    const [first] = waiting;
    if (first === undefined) return undefined;
    return consent(
      "DatabaseUpgradeWaits",
      waiting.map(({ name, from, to }) => `"${name}" goes from ${from} to ${to} by itself, and never back`).join(", "),
      `to keep the version: ${patchDatabaseVersion(first.name, first.from)}`,
    );
  },
});

export const databaseObjectsAreValid = defineCheck({
  id: "DatabaseObjectInvalid",
  asks: "every database object can be applied",
  at: ["plan"],
  needs: ["desiredDatabases"],
  find({ environment: { desiredDatabases } }) {
    const invalid =
      desiredDatabases?.read === true ? desiredDatabases.value.filter(({ objection }) => objection !== "") : [];
    if (invalid.length === 0) return undefined;
    return warn(
      "DatabaseObjectInvalid",
      invalid.map(({ name, objection }) => `"${name}": ${objection}`).join("; "),
      describeObject(`redb ${invalid[0]?.name ?? ""}`),
    );
  },
});

/** With one node away, two copies need two others. */
const NODES_FOR_A_SPARE_REPLICA = 3;

function replacementMissing(databases: readonly ClusterDatabase[]): Finding | undefined {
  const evidence = `no third node for a stand-in, so one copy while a node is away: ${quotedNames(databases)}`;
  return databases.length === 0 ? undefined : warn("SingleCopy", evidence, "raise spec.nodes to 3");
}

function replicate([first]: readonly ClusterDatabase[]): string {
  return patchDatabase(first?.name ?? "", { replication: true });
}
