import assert from "node:assert/strict";
import { test } from "node:test";
import { NODE_CONTAINER } from "../../src/core/api/names.ts";
import { Pods } from "#kit/kube/builtin";
import { release } from "../kit/facts/cluster-view.ts";
import { openLane, type Lane, type Rec } from "../kit/frozen/lane.ts";
import { steps } from "../kit/scenario/step.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";

const OLD = release("8.0.18-11");
/** No node has run it before. */
const OTHER = release("8.0.20-21");
const NEW = release("8.2.0-12");

await using story = await startStoryWorld();
await using lane = await openLane(story, "digests", [OLD, NEW]);

await test("the version of a cluster is what its nodes run, whatever the tag of their image says", () =>
  steps(lane, {
    "a new tag with the digest of the running image is no upgrade, and no node is replaced for it": refuseStaleDigest,
    "a node that comes back with another release than its tag names ends the roll at this node": stopAtWrongImage,
    "with the digest of the new tag the upgrade goes on from there to its end": finishWithRightImage,
  }));

async function refuseStaleDigest({ nextOperator, patch, cluster }: Lane): Promise<void> {
  const before = await nodePods();
  const digest = before[0]?.digest ?? "";
  assert.match(digest, /^sha256:[0-9a-f]{64}$/);
  await nextOperator();
  await patch({ storeEnterpriseImageSpec: { versionTag: NEW.nodeTag, digestHash: digest } });
  const { status } = await cluster("the digest is refused", (rec) => finds(rec, "ImageDigestStale"));
  assert.equal(status?.state, "InvalidUpgrade");
  assert.equal(status.version, OLD.nodeTag);
  assert.match(evidenceOf(status, "ImageDigestStale"), new RegExp(`${NEW.nodeTag}.*${digest}.*${OLD.nodeTag}.*rec-`));
  assert.deepEqual(await nodePods(), before);
}

async function stopAtWrongImage({ patch, cluster, sh }: Lane): Promise<void> {
  const before = await nodePods();
  await patch({ storeEnterpriseImageSpec: { digestHash: story.digestOf(OTHER) } });
  const { status } = await cluster("the node is found out", (rec) => finds(rec, "NodeVersionMismatch"));
  assert.equal(status?.state, "InvalidUpgrade");
  assert.equal(status.version, OLD.nodeTag);
  const said = new RegExp(
    `pod rec-2 is made from tag "${NEW.nodeTag}" and runs "${OTHER.nodeTag}" of ${OTHER.operator}`,
  );
  assert.match(evidenceOf(status, "NodeVersionMismatch"), said);
  assert.match(await sh("kubectl describe rec rec"), /NodeVersionMismatch/);
  const after = await nodePods();
  assert.deepEqual(after.slice(0, 2), before.slice(0, 2), "no further node is replaced");
  assert.equal(status.nodes?.find(({ uid }) => uid === 3)?.imageDigest, story.digestOf(OTHER));
}

async function finishWithRightImage({ patch, cluster }: Lane): Promise<void> {
  await patch({ storeEnterpriseImageSpec: { digestHash: story.digestOf(NEW) } });
  const { status } = await cluster(
    "it is upgraded",
    ({ status: now }) => now?.state === "Running" && now.version === NEW.nodeTag && now.findings?.length === 0,
  );
  for (const { version, imageDigest } of status?.nodes ?? [])
    assert.deepEqual({ version, imageDigest }, { version: NEW.nodeTag, imageDigest: story.digestOf(NEW) });
}

function finds({ status }: Rec, id: string): boolean {
  return status?.findings?.some((finding) => finding.id === id) ?? false;
}

function evidenceOf(status: Rec["status"], id: string): string {
  return status?.findings?.find((finding) => finding.id === id)?.evidence ?? "";
}

/** uid and digest of each node pod, in the order of their names. */
async function nodePods(): Promise<readonly { readonly uid: string; readonly digest: string }[]> {
  const { items } = await lane.kube.list(Pods, {
    namespace: lane.namespace,
    labelSelector: "storeenterprise.io/role=node",
  });
  return items
    .toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name))
    .map(({ metadata, status }) => {
      const seen = status?.containerStatuses?.find(({ name }) => name === NODE_CONTAINER);
      return { uid: metadata.uid, digest: seen?.imageID?.split("@")[1] ?? "" };
    });
}
