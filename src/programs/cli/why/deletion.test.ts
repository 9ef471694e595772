import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView } from "../../../../test/kit/facts/cluster-view.ts";
import { typedLines } from "../../../../test/kit/frozen/typed-lines.ts";
import type { ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import type { PolledCluster, Unreachable } from "../../../core/planner/view/cluster-view.ts";
import { deletionOfCluster, deletionOfDatabase } from "./deletion.ts";

const metadata = { name: "rec", namespace: "shop", uid: "u", resourceVersion: "1", deletionTimestamp: "then" };
const rec = { apiVersion: "", kind: "", metadata, spec: {} } as unknown as Parameters<typeof deletionOfCluster>[0];
const orders = { ...rec, metadata: { ...metadata, name: "orders" } } as unknown as Parameters<
  typeof deletionOfDatabase
>[0];
const { deletionTimestamp: _, ...staying } = orders.metadata;
const silent: Unreachable = { reachable: false, reason: "no node answers" };

function operator(ready: number, more: { readonly leaving?: true; readonly image?: string } = {}): ClusterEnvironment {
  return { operator: { read: true, value: { image: "store:1", ready, wanted: 1, ...more } } };
}

const LEFT = operator(0, { leaving: true });
const cases: readonly {
  readonly rule: string;
  readonly environment: ClusterEnvironment;
  readonly cluster?: PolledCluster | Unreachable;
  /** The last line that can be typed for the cluster and for the database. */
  readonly types: readonly [rec: string, redb: string];
}[] = [
  {
    rule: "an operator that runs ends what is being deleted",
    environment: operator(1),
    types: ["kubectl describe rec/rec", "kubectl describe redb/orders"],
  },
  {
    rule: "one that is not ready is waited for",
    environment: operator(0),
    types: ["kubectl describe rec/rec", "kubectl describe redb/orders"],
  },
  {
    rule: "one that goes with the namespace ends nothing any more",
    environment: LEFT,
    types: [freed("rec", "rec"), freed("redb", "orders")],
  },
  {
    rule: "one that is gone does not either",
    environment: operator(0, { image: "" }),
    types: [freed("rec", "rec"), freed("redb", "orders")],
  },
  {
    rule: "one that ends may still do it",
    environment: operator(1, { leaving: true }),
    types: ["kubectl describe rec/rec", "kubectl describe redb/orders"],
  },
  {
    rule: "a database goes without its cluster when no node answers",
    environment: operator(1),
    cluster: silent,
    types: ["kubectl describe rec/rec", freed("redb", "orders")],
  },
];

for (const { rule, environment, cluster = clusterView().cluster, types } of cases)
  test(`why of a deletion: ${rule}`, () => {
    const answers = [deletionOfCluster(rec, [], environment), deletionOfDatabase(orders, { cluster }, environment)];
    assert.deepEqual(
      answers.map(({ clears }) => typedLines(clears).at(-1)),
      types,
    );
    assert.deepEqual(
      answers.map(({ level, rule: id, since }) => [level, id, since]),
      [
        ["blocks", "Deleting", "then"],
        ["blocks", "Deleting", "then"],
      ],
    );
  });

test("why of a deletion: databases that are to stay are named before the cluster goes", () => {
  const stays = { ...orders, metadata: staying };
  const { rule, clears } = deletionOfCluster(rec, [stays], operator(1));
  assert.equal(`${rule}: ${clears}`, "DatabasesRemain: kubectl delete redb orders  # this deletes their data");
  assert.equal(deletionOfCluster(rec, [stays], LEFT).rule, "Deleting");
});

function freed(kind: string, name: string): string {
  return `kubectl patch ${kind} ${name} --type merge -p '{"metadata":{"finalizers":null}}'`;
}
