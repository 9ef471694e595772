import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { processorMs } from "#kit/testing/processor-ms";
import { visibleLine } from "#kit/base/visible";
import { MOST_MANIFEST, type BackupManifest } from "../../src/core/backup/manifest.ts";
import { planRestore } from "../../src/core/backup/plan-restore.ts";
import { foreignBackup } from "../../src/core/backup/restore-source.ts";
import { sentenceOf } from "../../src/core/planner/findings/finding.ts";
import { slotTexts } from "../../src/core/slots/named-slots.ts";
import { inspectBackup } from "../../src/programs/agent/api/databases/inspect-backup.ts";
import { faults } from "../../src/programs/backup/faults.ts";
import { readBackup } from "../../src/programs/backup/read-backup.ts";
import { hostileManifest, WHOLE_MANIFEST } from "../kit/fuzz/hostile-manifest.ts";
import { progressOf } from "../kit/fuzz/progress.ts";
import { seededDice } from "../kit/world/chaos.ts";

/** A seed replays the manifests; `FUZZ_MANIFESTS=100000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const manifests = Number(process.env["FUZZ_MANIFESTS"] ?? 300);
/** Of one manifest, which has up to a megabyte. */
const MOST_MS = 3_000;
const MOST_MIB = 700;
const PLACE = { folder: "store/orders", name: "nightly-1a2b3c4d" };
const FOUND = [{ family: "redis", version: "8.0.2", path: "/engine" }] as const;

await test(`a manifest is refused with what is wrong, or is whole (FUZZ_SEED=${seed})`, async () => {
  const outcomes = { refused: 0, whole: 0 };
  const over = progressOf("manifests are read", manifests);
  for (let number = 0; number < manifests; number += 1) {
    const text = hostileManifest(seededDice(seed + number));
    if (text.length > MOST_MANIFEST) continue;
    outcomes[await outcomeOf(text, `FUZZ_SEED=${seed + number}`)] += 1;
    over(number + 1);
  }
  assert.ok(outcomes.refused > outcomes.whole && outcomes.whole > 0, JSON.stringify(outcomes));
  assert.equal(Reflect.get({}, "polluted"), undefined);
  const { rss } = process.memoryUsage();
  assert.ok(rss < MOST_MIB << 20, `${rss >> 20} MiB are taken`);
  if (manifests > 1_000) process.stderr.write(`${JSON.stringify(outcomes)}\n`);
});

async function outcomeOf(text: string, what: string): Promise<"refused" | "whole"> {
  const before = processorMs();
  const read = await readBackup(PLACE, { read: () => Promise.resolve(text) }).catch((error: unknown) => {
    assert.ok(error instanceof Fault && error.code === faults.badManifest.code, `${what}: ${String(error)}`);
    assertShort(error.message, what);
    return undefined;
  });
  const took = processorMs() - before;
  assert.ok(took < MOST_MS, `${what}: it took ${Math.round(took)} ms of processor time`);
  if (read === undefined) return "refused";
  await assertWhole(read, what);
  return "whole";
}

/** All that is built on it says something, and shows nothing that is no text. */
async function assertWhole(manifest: BackupManifest, what: string): Promise<void> {
  const { files, database } = manifest;
  assert.equal(new Set(files.map(({ file }) => file)).size, files.length, what);
  for (const { file } of files) assert.match(file, /^[\w-]+\/\w[\w.-]*$/, what);
  const slots = slotTexts(files).join(",");
  const covered = slots.split(",").flatMap((range) => {
    const [from = "", to = from] = range.split("-");
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at);
  });
  assert.deepEqual([covered.length, new Set(covered).size], [16_384, 16_384], what);
  const restores = { read: () => Promise.resolve(manifest), follow: nothingElse, bytes: nothingElse };
  const s3 = { bucket: "b", region: "r", path_style: true, access_key_id: "a", secret_access_key: "s" };
  const look = await inspectBackup({ backups: { restores }, foundEngines: FOUND }, { ...PLACE, s3 });
  assert.ok(look.content !== undefined, what);
  const plan = planRestore(look.content, {}, undefined);
  if ("id" in plan) assertShort(sentenceOf(plan), what);
  const foreign = foreignBackup(database, { namespace: "here", secret: "keys", allowed: [] });
  assertShort(foreign === undefined ? "" : sentenceOf(foreign), what);
  assert.match(foreign?.remedy ?? "x", /^[ \w./=,:+-]+$/, what);
}

function nothingElse(): never {
  throw new Error("a manifest is read, and nothing else");
}

function assertShort(message: string, what: string): void {
  assert.ok(message.length < 4_000, `${what}: ${message.length} characters`);
  assert.equal(visibleLine(message), message, what);
}

await test("the manifest that is damaged here is whole before", async () => {
  const text = JSON.stringify(WHOLE_MANIFEST);
  assert.deepEqual(await readBackup(PLACE, { read: () => Promise.resolve(text) }), WHOLE_MANIFEST);
});
