import assert from "node:assert/strict";
import { test } from "node:test";
import { KINDS } from "../../src/core/api/kinds.ts";
import { API_GROUP, OPERATOR_CONFIG, OPERATOR_NAME } from "../../src/core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { clusterRules, type PolicyRule, operatorRules } from "../../src/core/releases/permissions/roles.ts";
import {
  ActiveActiveDatabases,
  Clusters,
  Databases,
  RemoteClusters,
} from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { ConfigMaps, Roles, Secrets, StatefulSets } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { faults } from "#kit/kube/faults";
import type { Kube, ResourceType } from "#kit/kube/kube";
import { startEmbeddedServer } from "../api-servers/test-server.ts";
import { connectAs, defineKinds, openNamespace } from "../kit/kubernetes/permission-scene.ts";

const namespace = "writers";
const OURS = { rec: Clusters, redb: Databases, reaadb: ActiveActiveDatabases, rerc: RemoteClusters } as const;
const OTHERS = { secrets: Secrets, statefulsets: StatefulSets, roles: Roles } as const;
const scope = { name: "rec", nodes: 3, secrets: ["rec-db-1"] };

const editorOf = (plural: string): readonly PolicyRule[] => [
  {
    apiGroups: [API_GROUP],
    resources: [plural],
    verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
  },
];

/** Each with what it may write, and what it may read of Secrets that are not named for it. */
const ACCOUNTS: readonly (readonly [name: string, rules: readonly PolicyRule[], writes: readonly string[]])[] = [
  ["editor-of-rec", editorOf(KINDS.cluster.plural), ["rec"]],
  ["editor-of-redb", editorOf(KINDS.database.plural), ["redb"]],
  ["editor-of-reaadb", editorOf(KINDS.activeActive.plural), ["reaadb"]],
  ["editor-of-rerc", editorOf(KINDS.remoteCluster.plural), ["rerc"]],
  ["node", clusterRules("node", scope), []],
  ["rigger", clusterRules("rigger", scope), []],
  [OPERATOR_NAME, operatorRules("kubernetes"), [...Object.keys(OURS), ...Object.keys(OTHERS)]],
  ["without-a-role", [], []],
];

await using server = await startEmbeddedServer();
await defineKinds(server);
const opened = await openNamespace(
  server,
  namespace,
  Object.fromEntries(ACCOUNTS.map(([name, rules]) => [name, rules])),
);
await opened.close();

for (const [name, , writes] of ACCOUNTS)
  await test(`${name} writes ${writes.join(", ") || "nothing"} of what fields can be in, and reads ${writes.includes("secrets") ? "Secrets" : "no Secret"}`, async () => {
    await using account = closing(await connectAs(server, namespace, name));
    assert.deepEqual(await written(account.kube), writes);
    const readsSecrets = await may(() => account.kube.get(Secrets, { name: "of-others", namespace }));
    assert.equal(readsSecrets, writes.includes("secrets"));
  });

await test("a node writes the list of watched namespaces, as each ConfigMap there, and nothing in a namespace of that list", async () => {
  const list = { name: OPERATOR_CONFIG, namespace };
  await server.kube.create(ConfigMaps, { metadata: list, data: {} });
  await using node = closing(await connectAs(server, namespace, "node"));
  const stored = await node.kube.get(ConfigMaps, list);
  assert.ok(stored !== undefined);
  await node.kube.update(ConfigMaps, { ...stored, data: { REDB_NAMESPACES: "elsewhere" } });
  assert.deepEqual((await server.kube.get(ConfigMaps, list))?.data, { REDB_NAMESPACES: "elsewhere" });
  for (const name of ["node", OPERATOR_NAME]) {
    await using account = closing(await connectAs(server, namespace, name));
    const database = { metadata: { name: "of-others", namespace: "elsewhere" } };
    assert.equal(await may(() => account.kube.get(Databases, database.metadata)), false, name);
  }
});

await test("who has no account writes nothing, and reads nothing", async () => {
  const { clientCertificate: _, ...anonymous } = server.config;
  await using nobody = closing(connect({ ...anonymous, namespace }));
  assert.deepEqual(await written(nobody.kube), []);
  assert.equal(await may(() => nobody.kube.get(Secrets, { name: "of-others", namespace })), false);
  assert.equal(await may(() => nobody.kube.get(Clusters, { name: "rec", namespace })), false);
});

/** The kinds of which an object that is not there could be written: rights are looked at before anything else. */
async function written(kube: Kube): Promise<readonly string[]> {
  const kinds: readonly (readonly [string, ResourceType<object>])[] = Object.entries({ ...OURS, ...OTHERS });
  const body = { metadata: { labels: { asked: "yes" } } };
  const asked = await Promise.all(
    kinds.map(async ([kind, type]) =>
      (await may(() => kube.patch(type, { name: "is-not-there", namespace }, { type: "merge", body }))) ? [kind] : [],
    ),
  );
  return asked.flat();
}

async function may(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (isFault(error, faults.forbidden) || isFault(error, faults.unauthorized)) return false;
    if (isFault(error, faults.notFound)) return true;
    throw error;
  }
}

function closing(kube: Kube & { close(): Promise<void> }): AsyncDisposable & { readonly kube: Kube } {
  return { kube, [Symbol.asyncDispose]: () => kube.close() };
}
