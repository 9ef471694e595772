import assert from "node:assert/strict";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { OPERATOR_NAME } from "../../src/core/api/names.ts";
import { Deployments } from "#kit/kube/builtin";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { startStorectlWorld } from "../kit/world/storectl-world.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";

const LATEST = latestRelease();
const REC = { name: "rec", namespace: "default" };
const DESIRED = ["upgrade", "--to", LATEST.operator, "--databases", "8.0"];

await using world = await startStorectlWorld(release("8.0.6-8"));

await test("storectl upgrade: stops, is interrupted, is followed, arrives", () =>
  steps(world, {
    "nothing is begun before the whole plan is agreed to": beginNothing,
    "a release that cannot be reached is left alone": refuseUnreachable,
    "what blocks is named before a step is begun": nameBlocks,
    "Ctrl-C ends the watching and nothing else; the same command again follows to the end": interruptAndFollow,
    "the same command once more has nothing to do": repeatWithoutEffect,
  }));

async function cluster() {
  return world.kube.get(Clusters, REC);
}

async function beginNothing(): Promise<void> {
  const { code, stdout, stderr } = await world.storectl(...DESIRED);
  assert.equal(code, 1, stdout);
  assert.match(
    stderr,
    /CLI_NOT_AGREED: nothing was begun: cluster 8\.2\.0-25\.12, databases 8\.0 cannot be undone, and there is no terminal/,
  );
  const refused = await world.atTerminal(["maybe", "n"], ...DESIRED);
  assert.equal(refused.code, 1, refused.stdout);
  assert.match(refused.stdout, /This cannot be undone:[^]*"maybe" is neither yes nor no/);
  assert.match(refused.stderr + refused.stdout, /CLI_NOT_AGREED: .* you did not agree/);
  const operator = await world.kube.get(Deployments, { name: OPERATOR_NAME, namespace: REC.namespace });
  assert.match(operator?.spec?.template.spec?.containers[0]?.image ?? "", /8\.0\.6-8$/);
  assert.equal((await cluster())?.spec.storeEnterpriseImageSpec, undefined);
}

async function refuseUnreachable(): Promise<void> {
  const { code, stdout } = await world.storectl("upgrade", "--to", "8.0.2-2", "--yes");
  assert.equal(code, 3);
  assert.match(stdout, /There is no way to 8\.0\.2-2/);
}

async function nameBlocks(): Promise<void> {
  await world.kube.patch(Clusters, REC, { type: "merge", body: { spec: { nodes: 4 } } });
  await world.stateIs("Invalid");
  const { code, stdout } = await world.storectl(...DESIRED, "--yes");
  assert.equal(code, 3, stdout);
  assert.match(stdout, /^BLOCKS +SpecInvalid\n +spec\.nodes: .* 4:/m);
  assert.equal((await cluster())?.spec.storeEnterpriseImageSpec, undefined);
  await world.kube.patch(Clusters, REC, { type: "merge", body: { spec: { nodes: 3 } } });
  await world.stateIs("Running");
}

async function interruptAndFollow(): Promise<void> {
  const begun = world.begin(...DESIRED, "--yes");
  assert.ok(begun.stdout && begun.stderr);
  const said = text(begun.stderr);
  let seen = "";
  begun.stdout.on("data", (data) => (seen += String(data)));
  await until("the roll", () => seen.includes("of 3 nodes at 8.2.0-25.12"), { withinMs: 60_000 });
  begun.kill("SIGINT");
  const [code] = await once(begun, "exit");
  assert.equal(code, 1);
  assert.match(await said, /CLI_INTERRUPTED: stopped looking at nodes at 8\.2\.0-25\.12/);

  const followed = await world.atTerminal([], ...DESIRED, "--yes");
  assert.equal(followed.code, 0, followed.stdout + followed.stderr);
  const drawn = followed.stdout.split("\r\u001b[2K").slice(1);
  assert.ok(drawn.length > 4, "the line is drawn over");
  for (const line of drawn) assert.ok((line.split(/\r?\n/, 1)[0] ?? "").length < 100, line);
  assert.match(followed.stdout, /3 of 3 nodes at 8\.2\.0-25\.12 \(\d+ s\)/);
  assert.match(followed.stdout, /1 of 1 databases at 8\.0 or later \(\d+ s\)\r\n\r\nArrived at 8\.2\.0-12\./);
  assert.equal((await cluster())?.status?.version, LATEST.nodeTag);
  const database = await world.kube.get(Databases, { name: "orders", namespace: "default" });
  assert.equal(database?.spec.storeVersion, "8.0");
}

async function repeatWithoutEffect(): Promise<void> {
  const { code, stdout } = await world.storectl(...DESIRED, "--yes");
  assert.equal(code, 0);
  assert.match(stdout, /The cluster is at 8\.2\.0-12 already\. There is nothing to do/);
}
