import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, database, facts, node, pod } from "../../../../test/kit/facts/cluster-view.ts";
import { typedLines } from "../../../../test/kit/frozen/typed-lines.ts";
import type { ClusterView, PolledCluster } from "../view/cluster-view.ts";
import { checkInput } from "./check-input.ts";
import { findingsAt } from "./run.ts";

interface Case {
  readonly waitsFor: string;
  readonly cluster?: Partial<PolledCluster>;
  readonly view?: Partial<ClusterView>;
  /** What the line that can be typed is about. */
  readonly types: RegExp;
}

const evacuation = { name: "maintenance_on", object: "node:4" };
const upgrade = { name: "upgrade_bdb", object: "bdb:1" };
const behind = [
  { node: 3, primary: true, inSync: true },
  { node: 2, primary: false, inSync: false },
];

const cases: readonly Case[] = [
  {
    waitsFor: "a node that is left although its pod is gone",
    cluster: { actions: [upgrade, evacuation] },
    types: /^curl -X POST .*\/v1\/nodes\/4\/actions\/maintenance_off$/,
  },
  {
    waitsFor: "a node in maintenance",
    cluster: { nodes: [node(1), node(2, { maintenance: true }), node(3)] },
    types: /^curl -X POST .*\/v1\/nodes\/2\/actions\/maintenance_off$/,
  },
  { waitsFor: "a database that changes", cluster: { actions: [upgrade] }, types: /^storectl databases$/ },
  {
    waitsFor: "a database that is not active",
    cluster: { databases: [database({ status: "active-change-pending" })] },
    types: /^storectl databases$/,
  },
  {
    waitsFor: "a database that needs a user's consent",
    cluster: { databases: [database({ status: "recovery", needsConsent: true })] },
    types: /^kubectl patch rec rec .*"clusterRecovery":true/,
  },
  {
    waitsFor: "a primary that is away",
    cluster: { databases: [database({ instances: [{ node: 3, primary: true, inSync: false }] })] },
    types: /^storectl databases$/,
  },
  { waitsFor: "a replica", cluster: { databases: [database({ instances: behind })] }, types: /^storectl databases$/ },
  {
    waitsFor: "a node that is away",
    view: { pods: [pod(0), pod(1), pod(2, { deleting: true })] },
    types: /^kubectl describe pod rec-2$/,
  },
  {
    waitsFor: "pods that are missing",
    view: { pods: [pod(0), pod(1)] },
    types: /^kubectl describe sts rec$/,
  },
];

for (const { waitsFor, cluster, view, types } of cases)
  test(`what a roll waits for before a node is touched has a line that can be typed: ${waitsFor}`, () => {
    const input = checkInput(clusterView({ cluster: facts(cluster), ...view }));
    const [finding] = findingsAt("step", input);
    assert.match(typedLines(finding?.remedy ?? "").at(0) ?? `none: ${finding?.id}: ${finding?.remedy}`, types);
  });
