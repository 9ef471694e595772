import { test } from "node:test";
import { startFrozenLane, type FrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { liftMajorPolicy } from "../../kit/frozen/policy.ts";
import { reportDrift } from "../../kit/frozen/drift.ts";
import { playRound } from "../../kit/frozen/rounds.ts";
import { proves } from "../../kit/specification/proves.ts";
import { proveDatabases, proveDigest, proveLicence, proveModuleErrors, proveModules } from "./proofs.ts";

test("upgrades that freeze go on when their causes are cleared through the API", async () => {
  await using lane = await startFrozenLane("api");
  await uploadBuild(lane);
  proveDatabases(await playRound(lane, [["oldDatabase", "the API"]]), lane);
  await proveLicence(await playRound(lane, [["licence", "the API"]]), lane);
  proveModuleErrors((await playRound(lane, [["download", "the API"]])).frozenBy("download"));
  await upgradeByHand(lane);
  await missPermission(lane);
  await correctConfiguration(lane);
  await liftMajorPolicy(lane, "the database");
  await reportDrift(lane);
});

async function uploadBuild(lane: FrozenLane): Promise<void> {
  const seen = await playRound(lane, [["unsupportedModule", "the API"]]);
  proveModules(seen, lane);
  proves(
    "§7 unsupported module → frozen until POST /v2/modules",
    "the number of new nodes before `POST /v2/modules` of the build, and VERSION after it",
  ).deepEqual([seen.frozenBy("unsupportedModule").moved, seen.arrived.status?.version], [0, lane.to().nodeTag]);
}

async function upgradeByHand(lane: FrozenLane): Promise<void> {
  const seen = await playRound(lane, [["digest", "the CR, by hand"]]);
  proveDigest(seen);
  const { spec, status } = seen.arrived;
  proves(
    "§3 digestHash kept, auto off → upgraded by hand",
    "VERSION after automatic upgrade was switched off and the tag set, the digest being still in the spec",
  ).deepEqual(
    [status?.version, spec.usageMeter?.callHomeClient?.imageSpec?.digestHash?.slice(0, 7)],
    [lane.to().nodeTag, "sha256:"],
  );
}

async function missPermission(lane: FrozenLane): Promise<void> {
  const seen = await playRound(lane, [["permissions", "the command of the remedy"]]);
  proves(
    "§5 the operator acts as its service account, bound by its binding",
    "the warning event after a verb was taken from the Role: the operator may not do it any more",
  ).match(seen.frozenBy("permissions").event, /^PermissionsMissing .*may not patch statefulsets\.apps in namespace/);
}

async function correctConfiguration(lane: FrozenLane): Promise<void> {
  const { frozenBy } = await playRound(lane, [["configuration", "the CR"]]);
  const { state, described, logged } = frozenBy("configuration");
  proves("§3 configuration error during an upgrade → InvalidUpgrade", "STATE once the spec contradicts itself").equal(
    state,
    "InvalidUpgrade",
  );
  proves(
    "§7 configuration error → InvalidUpgrade, explained by describe and the log",
    "what `kubectl describe rec` says of two switches that differ",
  ).match(described, /autoUpgradeStoreEnterprise.*are both set and differ/);
  proves(
    "§7 configuration error → InvalidUpgrade, explained by describe and the log",
    "the line in the log of the operator: id, evidence and remedy",
  ).match(logged, /^AutoUpgradeContradiction .*are both set and differ.*kubectl patch rec rec /);
}
