import { test } from "node:test";
import { startFrozenLane, type FrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { liftMajorPolicy } from "../../kit/frozen/policy.ts";
import { playRound } from "../../kit/frozen/rounds.ts";
import { proves } from "../../kit/specification/proves.ts";
import { proveDatabases, proveDigest, proveLicence, proveModuleErrors, proveModules } from "./proofs.ts";

test("upgrades that freeze go on when their causes are cleared in the custom resource", async () => {
  await using lane = await startFrozenLane("cr");
  proveModules(await playRound(lane, [["unsupportedModule", "the CR"]]), lane);
  proveDatabases(await playRound(lane, [["oldDatabase", "the CR"]]), lane);
  await proveLicence(await playRound(lane, [["licence", "the CR"]]), lane);
  await listFromServer(lane);
  await correctName(lane);
  await playRound(lane, [["unknownTag", "the CR"]]);
  await playRound(lane, [["unschedulable", "the CR"]]);
  await followOperator(lane);
  await liftMajorPolicy(lane, "the cluster");
});

async function listFromServer(lane: FrozenLane): Promise<void> {
  const { frozenBy, arrived } = await playRound(lane, [["download", "the CR"]]);
  proveModuleErrors(frozenBy("download"));
  proves(
    "§2.2 userDefinedModules: name, source.https.url and credentialsSecret",
    "status.userModules of a module of a server that answers 401 without the login of the Secret",
  ).deepEqual(
    arrived.status?.userModules?.map(({ name, state, version }) => [name, state, version]),
    [["Tally", "Installed", "1.1.0"]],
  );
}

async function correctName(lane: FrozenLane): Promise<void> {
  const { frozenBy, arrived } = await playRound(lane, [["moduleName", "the CR"]]);
  const { state, described } = frozenBy("moduleName");
  proves(
    "§2.2 the name of a user-defined module is one of its manifest",
    "what `kubectl describe rec` says of another name: both names of the manifest",
  ).match(described, /listed as "counter".*module_name "tally".*display_name "Tally"/);
  proves(
    "§7 module name and manifest differ → refused until they are equal",
    "STATE with another name, VERSION once the names are equal",
  ).deepEqual([state, arrived.status?.version], ["InvalidUpgrade", lane.to().nodeTag]);
}

/** Automatic: no tag is asked for. */
async function followOperator(lane: FrozenLane): Promise<void> {
  const seen = await playRound(lane, [
    ["staleWebhook", "the command of the remedy"],
    ["digest", "the CR, by removing it"],
  ]);
  proveDigest(seen);
  const { spec, status } = seen.arrived;
  const to = lane.to().nodeTag;
  proves(
    "§2.2 autoUpgradeStoreEnterprise true → the REC follows the operator; false → by hand",
    "true: VERSION after a new operator came and the causes were cleared, the test having written no tag",
  ).deepEqual([status?.version, spec.autoUpgradeStoreEnterprise], [to, true]);
  proves(
    "§1.4 the REC is upgraded automatically or by hand",
    "automatically: VERSION after a new operator and no other edit of the tag",
  ).equal(status?.version, to);
  const digest = spec.usageMeter?.callHomeClient?.imageSpec?.digestHash;
  proves(
    "§3 digestHash removed → the upgrade proceeds",
    "VERSION once the digest is removed, automatic upgrade being on",
  ).deepEqual([digest, spec.autoUpgradeStoreEnterprise, status?.version], [undefined, true, to]);
  proves(
    "§7 digest with automatic upgrade → blocked until one of both is gone",
    "the number of new nodes with both, VERSION without the digest",
  ).deepEqual([seen.frozenBy("digest").moved, status?.version], [0, to]);
}
