import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { clusterSpec } from "../../../core/api/cluster-spec.ts";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import { clusterNames, ROTATE_AUTHORITY_ANNOTATION, ROTATE_PASSWORD_ANNOTATION } from "../../../core/api/names.ts";
import { clusterView } from "../../../../test/kit/facts/cluster-view.ts";
import type { NodeSecrets } from "./own-secrets.ts";
import {
  isAllKept,
  keepAll,
  KEEPERS,
  keptVersions,
  type Keeper,
  type KeeperDeps,
  type KeeperFacts,
} from "./keepers.ts";

const namespace = "default";
const CREDENTIALS = clusterNames.credentialsSecret("rec");
const AUTHORITY = clusterNames.authoritySecret("rec");
const NODE_TLS = clusterNames.nodeTlsSecret("rec");

/** A cluster with what a case changes of it. */
interface Scene {
  readonly spec?: object;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Names of the Secrets that are not there. */
  readonly without?: readonly string[];
  /** A Secret that was written since. */
  readonly written?: string;
  readonly ahead?: readonly string[];
  readonly isApplied?: boolean;
  readonly isDropped?: boolean;
  readonly policy?: object;
  readonly license?: string;
  readonly ownsObjects?: boolean;
  readonly isUnknown?: boolean;
}

/** Reads nothing but copies. */
function sceneOf(scene: Scene) {
  const {
    finalizers = [FINALIZERS.cluster],
    annotations = {},
    without = [],
    isApplied = true,
    isDropped = true,
  } = scene;
  const spec = clusterSpec.parse({ licenseSecretName: "terms", ...scene.spec });
  const rec = { metadata: { name: "rec", namespace, uid: "1", finalizers, annotations }, spec };
  const secret = (name: string) => ({ metadata: { resourceVersion: name === scene.written ? "2" : "1" } });
  const none = { names: [], hasOlderNodes: false, taken: [], passedOver: [] };
  const ownSecrets: NodeSecrets = { ...none, ahead: scene.ahead ?? [] };
  const deps = {
    applier: { isKept: () => isApplied, isDropped: () => isDropped },
    callers: () => undefined,
    ownSecrets: { of: () => ownSecrets },
    cache: {
      clusters: { get: () => rec },
      secrets: { get: ({ name }: { readonly name: string }) => (without.includes(name) ? undefined : secret(name)) },
      statefulSets: { get: () => undefined },
      nodePods: { list: () => [] },
    },
  } as unknown as KeeperDeps; // `isKept` reads no more
  const policy = { redis_upgrade_policy: "latest", set_aside_retention_days: 7, ...scene.policy };
  const observation = {
    rec,
    namespace,
    view: clusterView({ spec }),
    environment: {},
    connection: { client: {} },
    records: { nodes: [], modules: [], actions: [], policy, license: { license: scene.license ?? "" } },
  } as unknown as KeeperFacts["observation"];
  const ownership = { blocking: [], isUnknown: scene.isUnknown ?? false };
  const facts = { observation, decision: { ownsObjects: scene.ownsObjects ?? true }, ownership };
  const rest = (name: string) => {
    const keeper = KEEPERS.find((each) => each.name === name);
    return { isKept: keeper?.isKept?.(deps, observation), versions: keeper?.versions?.(deps.cache, rec.metadata) };
  };
  return { isKept: isAllKept(deps, facts), versions: keptVersions(deps.cache, rec.metadata), rest };
}

const atRest = sceneOf({});

const wanted: Readonly<Record<string, readonly Scene[]>> = {
  finalizer: [{ finalizers: [] }],
  secrets: [{ without: [CREDENTIALS] }, { without: [AUTHORITY] }, { written: CREDENTIALS }],
  access: [
    { annotations: { [ROTATE_PASSWORD_ANNOTATION]: "now" } },
    { written: NODE_TLS },
    { written: CREDENTIALS },
    { without: [NODE_TLS] },
  ],
  authority: [
    { annotations: { [ROTATE_AUTHORITY_ANNOTATION]: "now" } },
    { written: AUTHORITY },
    { written: NODE_TLS },
    { without: [AUTHORITY] },
  ],
  "secrets ahead": [{ ahead: ["rec-db-9"], without: ["rec-db-9"] }],
  "owned objects": [{ isApplied: false }, { isDropped: false, spec: { networkPolicy: { enabled: false } } }],
  policy: [{ policy: { redis_upgrade_policy: "major" } }, { spec: { setAsideRetentionDays: 9 } }],
  licence: [{ spec: { licenseSecretName: undefined, license: "L1" }, license: "L2" }, { written: "terms" }],
  modules: [{ spec: { userDefinedModules: [{ name: "tally", source: { https: { url: "https://x.org/t.zip" } } }] } }],
};

test("a cluster in which all is kept rests", () => {
  assert.equal(atRest.isKept, true);
});

for (const { name } of KEEPERS)
  test(`the look at rest sees what is to be done for the keeper "${name}"`, () => {
    const scenes = wanted[name] ?? [];
    assert.notEqual(scenes.length, 0);
    for (const scene of scenes) {
      const { isKept, versions, rest } = sceneOf(scene);
      assert.ok(!isKept || versions !== atRest.versions, JSON.stringify(scene));
      assert.notDeepEqual(rest(name), atRest.rest(name), `the keeper itself sees ${JSON.stringify(scene)}`);
    }
  });

for (const [annotation, name] of [
  [ROTATE_PASSWORD_ANNOTATION, "access"],
  [ROTATE_AUTHORITY_ANNOTATION, "authority"],
] as const)
  test(`the annotation ${annotation} concerns the keeper "${name}" alone`, () => {
    const asked = sceneOf({ annotations: { [annotation]: "now" } });
    const concerned = KEEPERS.filter((keeper) => !isDeepStrictEqual(asked.rest(keeper.name), atRest.rest(keeper.name)));
    assert.deepEqual(
      concerned.map((keeper) => keeper.name),
      [name],
    );
  });

test("what may not be kept at the moment keeps no cluster from resting", () => {
  assert.ok(sceneOf({ isUnknown: true, without: [CREDENTIALS] }).isKept);
  assert.ok(sceneOf({ ownsObjects: false, isApplied: false }).isKept);
});

test("a keeper that fails keeps no other from its work, and each failure is known", async () => {
  const calls: string[] = [];
  const one = (name: string, moment: Keeper["moment"], failures: readonly string[] = []): Keeper => ({
    name,
    moment,
    isKept: () => false,
    keep: async () => {
      calls.push(name);
      if (failures.length === 1) throw new Error(failures[0]);
      if (failures.length > 1) throw new AggregateError(failures.map((text) => new Error(text)));
      return { findings: [{ id: name, severity: "warn", evidence: "", remedy: "" }], userModules: [] };
    },
  });
  const keepers = [
    one("first", "before the act", ["no room"]),
    one("second", "before the act"),
    one("third", "before the act", ["no right", "no name"]),
    one("fourth", "before the act"),
    one("fifth", "after the act"),
  ];
  const kept = await keepAll({} as KeeperDeps, {} as KeeperFacts, "before the act", keepers);
  assert.deepEqual(calls, ["first", "second", "third", "fourth"]);
  assert.deepEqual(
    kept.failures.map(({ message }) => message),
    ["no room", "no right", "no name"],
  );
  assert.deepEqual(
    kept.findings?.map(({ id }) => id),
    ["second", "fourth"],
  );
  assert.deepEqual(kept.userModules, []);
});

const folder = import.meta.dirname;
/** The files of which a pass consists. */
const PASS = ["controller.ts", "decide.ts", "act-on.ts", "pass-outcome.ts"];
const pass = (await Promise.all(PASS.map((name) => readFile(join(folder, name), "utf8")))).join("");

/** What the pass and the look at rest wait for. A new effect of a pass is a keeper, or an act of the planner. */
const AWAITED: ReadonlySet<string> = new Set([
  ...["observeCluster", "ownershipOf", "observeOwnership", "syncedOwnership", "forbiddenFinding", "stillRests"],
  ...["deps.kube.get", "observeOrReport", "pass", "actOn", "keepAll", "performStep", "perform", "removeCluster"],
  "failureFindings",
  ...["report", "reportForbidden", "reportUnreadable"],
]);

test("a pass has no effect but its one act, its keepers and its report", () => {
  const awaited = [...pass.matchAll(/await ([\w.]+)\(/g)].map(([, name = ""]) => name);
  assert.ok(awaited.includes("keepAll") && awaited.includes("perform"));
  assert.deepEqual(
    awaited.filter((name) => !AWAITED.has(name)),
    [],
  );
});

test("what keeps something is called by the list of keepers alone", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const texts = await Promise.all(
    files.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const),
  );
  const keeping = texts.flatMap(([, text]) =>
    [...text.matchAll(/^export async function ((?:keep|rotate)\w*)\(/gm)].map(([, name = ""]) => name),
  );
  const callers = texts.filter(([, text]) =>
    keeping.some((name) => name !== "keepAll" && text.includes(`await ${name}(`)),
  );
  assert.ok(keeping.length > 5);
  assert.deepEqual(
    callers.map(([name]) => name),
    ["keepers.ts"],
  );
});
