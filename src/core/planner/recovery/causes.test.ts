import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, facts, node, upgrading } from "../../../../test/kit/facts/cluster-view.ts";
import { checkInput } from "../prerequisites/check-input.ts";
import type { ClusterEnvironment } from "../prerequisites/environment.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { causesOf } from "./causes.ts";

interface Case {
  readonly rule: string;
  readonly view?: Partial<ClusterView>;
  readonly environment?: ClusterEnvironment;
  readonly says: readonly string[];
}

const small = [node(1), node(2), node(3)].map((one) => ({ ...one, memoryBytes: 80_000_000 }));
const narrow = facts({ nodes: small });
const running = { state: "Running" } as const;

const cases: readonly Case[] = [
  {
    rule: "room for the next upgrade is a warning while none is asked for",
    view: { cluster: narrow },
    says: ["warn CapacityShort"],
  },
  {
    rule: "it blocks the upgrade that is asked for",
    view: { ...upgrading, cluster: narrow },
    says: ["block CapacityShort"],
  },
  {
    rule: "it blocks while the cluster is on its way",
    view: { cluster: narrow, remembered: { state: "Initializing" } },
    says: ["block CapacityShort"],
  },
  {
    rule: "it blocks while a node is away",
    view: {
      cluster: facts({ nodes: small.map((one) => ({ ...one, active: one.uid !== 3 })) }),
      remembered: running,
    },
    says: ["block CapacityShort"],
  },
  {
    rule: "a licence that ends soon is a warning while no upgrade is asked for",
    environment: { now: { read: true, value: "2026-12-30T23:00:00Z" } },
    says: ["warn LicenseEndsSoon"],
  },
  {
    rule: "what keeps the operator away blocks, whatever is asked for",
    environment: { operator: { read: true, value: { image: "x:1", ready: 0, wanted: 1 } } },
    says: ["block OperatorNotReady"],
  },
];

for (const { rule, view = {}, environment = {}, says } of cases)
  test(rule, () => {
    const causes = causesOf({
      input: checkInput(clusterView(view), { environment }),
      databases: [],
      lacksFacts: false,
    });
    assert.deepEqual(
      causes.map(({ finding: { severity, id } }) => `${severity} ${id}`),
      says,
    );
  });
