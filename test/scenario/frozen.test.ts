import assert from "node:assert/strict";
import { availableParallelism, loadavg } from "node:os";
import { after, before, describe } from "node:test";
import type { Finding } from "../../src/core/api/parts.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Events } from "../../src/ports/kube/builtin.ts";
import { release } from "../kit/facts/cluster-view.ts";
import {
  beginFrozen,
  frozenCases,
  makeDatabase,
  SECRET,
  upgradeDatabase,
  type FrozenCase,
} from "../kit/world/frozen-cases.ts";
import { openLane, type Lane, type Rec } from "../kit/world/lane.ts";
import { listAnotherModule, meetUnsupportedKubernetes } from "../kit/world/lane-rounds.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { startModuleRepository, type ModuleRepository } from "../kit/modules/module-repository.ts";
import { startStoryWorld, type StoryWorld } from "../kit/world/story-world.ts";
import { until } from "../kit/time/until.ts";
import { rules } from "../specification/rule.ts";
import type { RuleName } from "../specification/rules.ts";

// Clusters in namespaces of one Kubernetes walk through the releases side by side. Each upgrade is begun without something that it
// needs, freezes, says so, and goes on by itself once that is there; in one lane the operator is killed whenever it waits.

type CaseName = keyof ReturnType<typeof frozenCases>;
/** Here the operator is killed whenever it waits. */
const KILLED = "killed";
type Rules = readonly [RuleName, ...RuleName[]];

const RULES: Readonly<Record<CaseName, Rules>> = {
  unsupportedModule: [
    "§7 unsupported module → frozen until POST /v2/modules",
    "§6.2 unsupported module → event that names it",
    "§1.6 a step onto the newer base system asks for module builds of it",
    "§9 newer base system from 7.8.2-6 on",
  ],
  oldDatabase: [
    "§7 incompatible database version → frozen until the database is upgraded",
    "§6.3 incompatible database version → event that names it",
    "§9 databases 7.2 or later before cluster 7.8.2-6 or later",
    "§1.3 an upgrade started without its prerequisites freezes, and is recovered by hand",
  ],
  licence: ["§3 licence not valid → the upgrade fails", "§7 invalid licence → fails until a valid one is there"],
  configuration: [
    "§3 configuration error during an upgrade → InvalidUpgrade",
    "§7 configuration error → InvalidUpgrade, explained by describe and the log",
  ],
  digest: [
    "§3 digestHash + auto → InvalidUpgrade + warning event, and the upgrade is blocked",
    "§3 digestHash removed → the upgrade proceeds",
    "§3 digestHash kept, auto off → upgraded by hand",
    "§6.1 digestHash + auto → warning event on the REC, seen with describe",
    "§7 digest with automatic upgrade → blocked until one of both is gone",
    "§2.2 digestHash may stand in each of the four image specs",
    "§2.2 autoUpgradeStoreEnterprise true → the REC follows the operator; false or unset → by hand",
    "§1.4 the REC is upgraded automatically or by hand",
  ],
  automaticWithModules: [
    "§2.2 autoUpgradeStoreEnterprise must be false while user-defined modules are listed",
    "§4.3.2 with user-defined modules, automatic upgrade is off before the operator is upgraded",
  ],
  moduleName: [
    "§2.2 the name of a user-defined module is one of its manifest",
    "§7 module name and manifest differ → refused until they are equal",
    "§4.1 module errors and events are seen with describe rec",
  ],
  staleWebhook: ["§4.3.4 admission is reapplied step by step"],
  permissions: ["§5 the operator acts as its service account, bound by its binding"],
  unknownTag: ["§3 configuration error during an upgrade → InvalidUpgrade"],
  noImage: ["§2.2 a changed versionTag starts the rolling upgrade"],
  unschedulable: ["§1.3 an upgrade started without its prerequisites freezes, and is recovered by hand"],
  download: [
    "§2.2 userDefinedModules: name, source.https.url and credentialsSecret",
    "§7 prerequisites of user-defined modules unmet → named by describe",
  ],
};

/** Causes that stand in the way of one upgrade, in the order in which they are cleared, each with how. */
type Round = readonly (readonly [name: CaseName, by: string])[];

interface LanePlan {
  readonly lane: string;
  readonly rounds: readonly Round[];
  readonly policyBy?: "the API" | "the CR";
}

/** The first step of each leads onto the newer base system (§1.6). */
const RELEASES = [
  release("7.4.6-2"),
  ...["7.8.2-6", "7.8.4-8", "7.8.4-9", "7.8.6-1", "7.8.6-19", "7.22.0-7", "7.22.0-15", "7.22.2-21"].map(release),
] as const;

/** `FROZEN_LANE` chooses one. */
const LANES: readonly LanePlan[] = (
  [
    {
      lane: "api",
      policyBy: "the API",
      rounds: [
        [["unsupportedModule", "the API"]],
        [["oldDatabase", "the API"]],
        [["licence", "the API"]],
        [["download", "the API"]],
        [["digest", "the CR, by hand"]],
        [["permissions", "the command of the remedy"]],
        [["configuration", "the CR"]],
      ],
    },
    {
      lane: "cr",
      policyBy: "the CR",
      rounds: [
        [["unsupportedModule", "the CR"]],
        [["oldDatabase", "the CR"]],
        [["licence", "the CR"]],
        [["download", "the CR"]],
        [["moduleName", "the CR"]],
        [["unknownTag", "the CR"]],
        [["unschedulable", "the CR"]],
        [["staleWebhook", "the command of the remedy"]],
      ],
    },
    {
      // what a cause needs is given when its turn comes: until then storectl says what it lacks, and does the rest
      lane: "storectl",
      rounds: [
        [
          ["licence", "storectl"],
          ["unsupportedModule", "storectl"],
        ],
        [["oldDatabase", "storectl"]],
      ],
    },
    {
      lane: KILLED,
      policyBy: "the CR",
      rounds: [
        [
          ["permissions", "the command of the remedy"],
          ["licence", "the API"],
          ["unsupportedModule", "the API"],
          ["unschedulable", "a label on a worker"],
        ],
        [
          ["oldDatabase", "the API"],
          ["staleWebhook", "the command of the remedy"],
        ],
        [
          ["configuration", "the CR"],
          ["moduleName", "the CR"],
        ],
        [
          ["unknownTag", "the CR"],
          ["download", "the module server"],
          ["noImage", "the CR"],
        ],
        [
          ["digest", "the CR, by removing it"],
          ["automaticWithModules", "the CR"],
        ],
      ],
    },
  ] satisfies LanePlan[]
).filter(({ lane }) => lane === (process.env["FROZEN_LANE"] ?? lane));

let story: StoryWorld;
let modules: ModuleRepository;
let cases: ReturnType<typeof frozenCases>;

before(async () => {
  story = await startStoryWorld({ kubernetesVersion: "v1.30.9" });
  modules = await startModuleRepository();
  modules.put("tally.zip", await tallyArchive({ version: "1.1.0", compatible: "7.2" }));
  cases = frozenCases(modules);
});
after(async () => {
  await modules.close();
  await story[Symbol.asyncDispose]();
});

describe("a frozen upgrade", { concurrency: LANES.length }, () => {
  for (const { lane: namespace, rounds, policyBy } of LANES) {
    const killed = namespace === KILLED;
    describe(`in lane ${namespace}${killed ? ", the operator killed while it waits" : ""}`, { concurrency: 1 }, () => {
      let lane: Lane & AsyncDisposable;
      before(async () => {
        lane = await openLane(story, namespace, RELEASES);
        await modules.admit(lane.kube, namespace, SECRET);
      });
      after(() => lane[Symbol.asyncDispose]());

      for (const round of rounds) {
        const [first = "§1.3 an upgrade started without its prerequisites freezes, and is recovered by hand", ...more] =
          round.flatMap(([name]) => RULES[name]);
        rules([first, ...more], round.map((cause) => cause.join(", by ")).join("; "), () => play(lane, round, killed));
      }
      if (policyBy !== undefined) policyRound(() => lane, policyBy, killed);
      if (namespace === "api") driftRound(() => lane);
      if (!killed) return;
      rules(
        [
          "§2.2 a changed userDefinedModules list restarts the pods one by one",
          "§4.3.6 the REC is upgraded, its modules defined before any database uses them",
        ],
        "",
        () => listAnotherModule(lane, modules),
      );
      rules(
        [
          "§9 the Kubernetes version is one that the target supports",
          "§9 other targets: the release says its minimum, intermediate upgrades are named",
        ],
        "",
        () => meetUnsupportedKubernetes(lane),
      );
    });
  }
});

/** One round: everything is prepared, frozen, recovered, and ends with every node at the next release. */
async function play(lane: Lane, round: Round, killed: boolean): Promise<void> {
  const all: readonly FrozenCase[] = round.map(([name]) => cases[name]);
  await beginFrozen(lane, all);
  const restarts = await lane.restarts();
  for (const [name, by] of round) {
    await frozen(lane, cases[name]);
    if (killed) await lane.killOperator();
    const recoveries: FrozenCase["recoveries"] = cases[name].recoveries;
    const recover = recoveries[by];
    assert.ok(recover, `there is no recovery by ${by}`);
    await recover(lane);
    await goesOn(lane, cases[name], round.at(-1)?.[0] === name);
  }
  await arrived(lane);
  if (killed) assert.ok((await lane.restarts()) > restarts, "the operator was not started again");
  for (const one of all) await one.after?.(lane);
}

/** State, finding, condition, event and what `kubectl describe` prints agree; no node was touched beyond the expected ones. */
async function frozen(lane: Lane, { reason, state, evidence, remedy, touched = 0 }: FrozenCase): Promise<void> {
  const rec = await lane.cluster(`it is frozen: ${reason}`, ({ metadata, status }) => {
    const isNew = status?.observedGeneration === metadata.generation;
    return isNew && status?.state === state && evidence.test(findingOf(status.findings, reason)?.evidence ?? "");
  });
  const finding = findingOf(rec.status?.findings, reason);
  assert.match(finding?.remedy ?? "", remedy);
  const said = rec.status?.conditions?.filter(({ message }) => evidence.test(message)).map(({ type }) => type);
  assert.deepEqual(said, finding?.severity === "block" ? ["UpgradeBlocked"] : ["Progressing"]);
  await until(`an event ${reason}`, () => isReported(lane, "rec", reason, evidence, remedy), { withinMs: 30_000 });
  const described = await lane.sh("kubectl describe rec rec");
  assert.match(described, evidence);
  assert.match(described, new RegExp(`Warning +${reason} `));
  assert.equal(count(rec, lane.to().nodeTag), 0, "no node runs the new release");
  if (touched === 0) assert.equal(rec.status?.upgrade?.to === lane.to().nodeTag, false, "a roll has begun");
}

/** Nothing else is done than the recovery; how soon the operator notices is measured from its acknowledgement. */
async function goesOn(lane: Lane, { reason }: FrozenCase, isLast = true): Promise<void> {
  const since = performance.now();
  await lane.cluster("it goes on by itself", ({ status }) => {
    const isFree = findingOf(status?.findings, reason) === undefined;
    return isFree && (!isLast || status?.state === "Upgrade" || status?.version === lane.to().nodeTag);
  });
  withinFiveSeconds(performance.now() - since);
}

/** On a machine that has more to do than it can, everything takes as much longer. */
function withinFiveSeconds(tookMs: number): void {
  const busy = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
  assert.ok(tookMs < 5_000 * busy, `it took ${Math.round(tookMs)} ms at ${busy.toFixed(1)} times the work`);
}

async function arrived(lane: Lane): Promise<void> {
  const to = lane.to().nodeTag;
  const rec = await lane.cluster(`every node runs ${to}`, ({ metadata, status }) => {
    const isNew = status?.observedGeneration === metadata.generation;
    return isNew && status?.state === "Running" && status.version === to && status.replicas === 3;
  });
  assert.equal(count(rec, to), 3);
  assert.deepEqual(rec.status?.findings?.filter(({ severity }) => severity === "block") ?? [], []);
}

/** The twelfth cause is of a database: under the policy `major` it goes to no minor version. */
function policyRound(laneOf: () => Lane, by: "the API" | "the CR", killed: boolean): void {
  rules(
    [
      "§2.2 storeUpgradePolicy or a version setting `major` keeps databases from minor versions",
      "§7 policy major → no minor version until the policy changes",
    ],
    `by ${by}`,
    async () => {
      const lane = laneOf();
      const ref = { name: "minor", namespace: lane.namespace };
      const evidence = /"7\.4" is a minor version and spec\.storeUpgradePolicy of cluster rec is "major"/;
      const remedy = /kubectl patch rec rec .*"storeUpgradePolicy":"latest"/;
      await lane.patch({ storeUpgradePolicy: "major" });
      await makeDatabase(lane, ref.name, { storeVersion: "7.2" });
      await lane.kube.patch(Databases, ref, { type: "merge", body: { spec: { storeVersion: "7.4" } } });
      const redb = await lane.database(ref.name, "it is refused", ({ status }) => status?.specStatus === "Invalid");
      const ready = redb.status?.conditions?.find(({ type }) => type === "Ready");
      assert.equal(ready?.reason, "UpgradePolicyMajor");
      assert.match(ready.message, evidence);
      assert.match(ready.message, remedy);
      await until("an event", () => isReported(lane, ref.name, ready.reason, evidence, remedy), { withinMs: 30_000 });
      assert.match(await lane.sh("kubectl describe redb minor"), evidence);
      if (killed) await lane.killOperator();
      if (by === "the API") await upgradeDatabase(lane, ref.name, "7.4");
      else await lane.sh(/kubectl patch rec [^,]*}}'/.exec(ready.message)?.[0] ?? "false");
      const since = performance.now();
      await lane.database(
        ref.name,
        "it goes on by itself",
        ({ status }) =>
          status?.specStatus === "Valid" && (status.status !== "active" || status.version?.startsWith("7.4") === true),
      );
      withinFiveSeconds(performance.now() - since);
      await lane.database(
        ref.name,
        "it is at 7.4",
        ({ status }) => status?.status === "active" && status.version?.startsWith("7.4") === true,
      );
    },
  );
}

/** What was done by hand stays, and the object is told to say the same (§7). */
function driftRound(laneOf: () => Lane): void {
  rules(
    ["§7 prerequisites unmet → frozen; fixed through the API; then written into the CR"],
    "drift is reported with the patch that ends it",
    async () => {
      const lane = laneOf();
      const drifted = (value: string) =>
        lane.database(
          "orders",
          `Drifted is ${value}`,
          ({ status }) => status?.conditions?.find(({ type }) => type === "Drifted")?.status === value,
        );
      await makeDatabase(lane, "orders", { storeVersion: "7.2" });
      await beginFrozen(lane, [cases.unknownTag]);
      await frozen(lane, cases.unknownTag);
      await upgradeDatabase(lane, "orders", "7.4");
      await cases.unknownTag.recoveries["the CR"](lane);
      await arrived(lane);
      const { status } = await drifted("True");
      const condition = status?.conditions?.find(({ type }) => type === "Drifted");
      assert.equal(condition?.reason, "UpgradedByHand");
      const patch = /kubectl patch redb orders .*'$/.exec(condition.message)?.[0];
      assert.ok(patch, condition.message);
      await until("an event", () => isReported(lane, "orders", "UpgradedByHand", /is at 7\.4/, /kubectl patch/), {
        withinMs: 30_000,
      });
      await lane.sh(patch);
      const after = await drifted("False");
      assert.match(after.status?.version ?? "", /^7\.4/, "what was done by hand was taken back");
    },
  );
}

function findingOf(findings: readonly Finding[] | undefined, reason: string): Finding | undefined {
  return findings?.find(({ id, severity }) => id === reason && (severity === "block" || severity === "wait"));
}

async function isReported(
  lane: Lane,
  name: string,
  reason: string,
  evidence: RegExp,
  remedy: RegExp,
): Promise<boolean> {
  const { items } = await lane.kube.list(Events, { namespace: lane.namespace });
  return items.some(
    ({ type, message = "", ...event }) =>
      event.involvedObject.name === name &&
      event.reason === reason &&
      type === "Warning" &&
      evidence.test(message) &&
      remedy.test(message),
  );
}

function count({ status }: Rec, tag: string): number {
  return (status?.nodes ?? []).filter(({ version }) => version === tag).length;
}
