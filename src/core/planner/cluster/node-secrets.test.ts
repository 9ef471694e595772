import assert from "node:assert/strict";
import { test } from "node:test";
import { facts as polledFacts, node } from "../../../../test/kit/facts/cluster-view.ts";
import { findsSecrets, mayNameSecrets, nodeSecrets, secretsAhead, type SecretFacts } from "./node-secrets.ts";

const NEW_CLUSTER = {
  cluster: "rec",
  databases: [],
  nextDatabase: 1,
  users: [],
  nextUserSecret: 1,
  there: [],
  foreign: [],
};

const cases: readonly (readonly [
  rule: string,
  facts: Partial<SecretFacts>,
  yes: readonly string[],
  no: readonly string[],
])[] = [
  [
    "a new cluster may use the names that its first databases and users get",
    {},
    ["rec-db-1", "rec-db-16", "rec-user-1", "rec-user-8"],
    ["rec-db-17", "rec-user-9"],
  ],
  [
    "the names move on with the numbers, and those of databases stay",
    { databases: [7], nextDatabase: 100, nextUserSecret: 3 },
    ["rec-db-1", "rec-db-7", "rec-db-100", "rec-db-115", "rec-user-10"],
    ["rec-db-8", "rec-db-99", "rec-db-116", "rec-user-2"],
  ],
  [
    "a user of an older release keeps the name that it has",
    { users: ["rec-user-0f3a9c11de"] },
    ["rec-user-0f3a9c11de"],
    [],
  ],
  [
    "a user in the record of nodes asks for no Secret of another form",
    { users: ["rec-ca", "rec", "admission-tls", "redb-orders", "rec-user-", "rec-user-x", "rec-db-1x", "rec2-user-1"] },
    ["rec-user-1"],
    ["rec-ca", "rec", "admission-tls", "redb-orders", "rec-user-", "rec-user-x", "rec-db-1x", "rec2-user-1"],
  ],
  [
    "a Secret of that form that is another's is not theirs: the cluster rec-user has the authority rec-user-ca",
    {
      users: ["rec-user-ca"],
      databases: [3],
      there: ["rec-db-7"],
      foreign: ["rec-user-ca", "rec-db-3", "rec-db-4", "rec-user-2"],
    },
    ["rec-db-7", "rec-db-5", "rec-user-1"],
    ["rec-user-ca", "rec-db-3", "rec-db-4", "rec-user-2"],
  ],
  [
    "a Secret that is still there can be removed after its record",
    { there: ["rec-db-50", "rec-user-0f3a9c11de"] },
    ["rec-db-50", "rec-user-0f3a9c11de"],
    [],
  ],
  [
    "what the operator made for the cluster is not theirs, nor what is another's",
    { there: ["rec", "rec-ca", "rec-node-tls", "redb-orders", "other-db-50", "rec-db-x"] },
    [],
    ["rec", "rec-ca", "rec-node-tls", "redb-orders", "other-db-50", "rec-db-x"],
  ],
];

for (const [rule, facts, yes, no] of cases)
  test(rule, () => {
    const names = nodeSecrets({ ...NEW_CLUSTER, ...facts });
    assert.deepEqual(
      yes.filter((name) => !names.includes(name)),
      [],
    );
    assert.deepEqual(
      no.filter((name) => names.includes(name)),
      [],
    );
    assert.equal(new Set(names).size, names.length);
  });

test("nodes are held to names once each of them foresees its own, and an answer that is missing changes nothing", () => {
  const polled = (...named: readonly boolean[]) =>
    polledFacts({ nodes: named.map((is, index) => node(index + 1, { capabilities: is ? ["named-secrets"] : [] })) });
  assert.equal(mayNameSecrets(polled(true, true, true), "all"), true);
  assert.equal(mayNameSecrets(polled(true, false, true), "all"), false);
  assert.equal(mayNameSecrets(polled(), "all"), false);
  assert.equal(mayNameSecrets({ reachable: false, reason: "" }, "all"), false);
});

test("a cluster begins with names, and keeps them whatever its nodes say", () => {
  const silent = { reachable: false, reason: "" } as const;
  const old = polledFacts({ nodes: [node(1, { capabilities: [] })] });
  for (const role of ["none", "names"] as const)
    for (const cluster of [silent, old, polledFacts({ nodes: [] })])
      assert.equal(mayNameSecrets(cluster, role), true, role);
});

test("Secrets are made ahead for the numbers that come next, the lowest first", () => {
  const names = secretsAhead("rec", { nextDatabase: 7, nextUserSecret: 3 });
  assert.deepEqual(
    [names.length, names[0], names[15], names[16], names.at(-1)],
    [24, "rec-db-7", "rec-db-22", "rec-user-3", "rec-user-10"],
  );
});

test("nodes make Secrets until each of them finds those that are made ahead, and never again after that", () => {
  const polled = (...found: readonly boolean[]) =>
    polledFacts({ nodes: found.map((is, index) => node(index + 1, { capabilities: is ? ["prepared-secrets"] : [] })) });
  assert.equal(findsSecrets(polled(true, true, true), "makes"), true);
  assert.equal(findsSecrets(polled(true, false, true), "makes"), false);
  assert.equal(findsSecrets(polled(), "makes"), false);
  assert.equal(findsSecrets({ reachable: false, reason: "" }, "makes"), false);
  for (const cluster of [polled(), polled(false), { reachable: false, reason: "" } as const])
    assert.equal(findsSecrets(cluster, "finds"), true);
});
