import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { visibleLine } from "#kit/base/visible";
import { processorMs } from "#kit/testing/processor-ms";
import { CountedKeys } from "../../src/programs/backup/counted-keys.ts";
import { piecesOf } from "../kit/fuzz/pieces.ts";
import { progressOf } from "../kit/fuzz/progress.ts";
import { engineNameOf, restoreAll, type HostileFile } from "../kit/fuzz/restored-files.ts";
import { damagedSnapshot, typedSnapshot, type TypedSnapshot } from "../kit/fuzz/snapshots.ts";
import { seededDice, type Dice } from "../kit/world/chaos.ts";

/** A seed replays the files; `FUZZ_COUNTED=100000 FUZZ_FILES=10000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const counted = Number(process.env["FUZZ_COUNTED"] ?? 1_000);
const files = Number(process.env["FUZZ_FILES"] ?? 60);
/** So many engines start at once. */
const AT_ONCE = 6;
const VERSIONS = ["7.2", "7.4", "8.0"] as const;
/** Of one file of some kilobytes. */
const MOST_MS = 1_000;
const MOST_MIB = 400;

const snapshots = new Map<string, TypedSnapshot>();
for (const version of VERSIONS) snapshots.set(version, await typedSnapshot(await engineNameOf(version), 2));

await test(`the keys of a damaged file are counted or not, soon and with little memory (FUZZ_SEED=${seed})`, () => {
  const outcomes = new Map<string, number>();
  const over = progressOf("files are counted", counted);
  for (let number = 0; number < counted; number += 1) {
    const dice = seededDice(seed + number);
    const { bytes, what } = aFile(dice, seed + number);
    const outcome = countedIn(piecesOf(bytes, dice), what);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    over(number + 1);
  }
  for (const expected of ["a number", "cut", "unknown", "SLOTS_MALFORMED_SNAPSHOT"])
    assert.ok(outcomes.has(expected), `none was ${expected}`);
  const { rss } = process.memoryUsage();
  assert.ok(rss < MOST_MIB << 20, `${rss >> 20} MiB are taken`);
});

await test(`a damaged file is refused with a reason or loaded as it is, never half and never empty (FUZZ_SEED=${seed})`, async () => {
  const outcomes = new Map<string, number>();
  const over = progressOf("files are restored", files);
  for (let number = 0; number < files; number += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, files - number) }, (_, at) => seed + number + at);
    const ended = await restoreAll(some.map((one) => aFile(seededDice(one), one)));
    for (const outcome of ended) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    over(number + some.length);
  }
  if (process.env["FUZZ_FILES"] !== undefined) process.stderr.write(`${JSON.stringify([...outcomes])}\n`);
  for (const expected of ["damaged", "refused", "loaded"]) assert.ok(outcomes.has(expected), `none was ${expected}`);
});

/** Half of the manifests say how many keys there were. */
function aFile(dice: Dice, number: number): HostileFile {
  const storeVersion = VERSIONS[Math.floor(dice() * VERSIONS.length)] ?? "7.2";
  const { bytes, keys } = snapshots.get(storeVersion) ?? { bytes: Buffer.alloc(0), keys: 0 };
  const isSaid = dice() < 0.3;
  const hasAppendOnlyFile = dice() < 0.5;
  return {
    bytes: damagedSnapshot(dice, bytes),
    keys: isSaid ? keys : undefined,
    storeVersion,
    hasAppendOnlyFile,
    what: `FUZZ_SEED=${number}`,
  };
}

function countedIn(pieces: readonly Buffer[], what: string): string {
  const before = processorMs();
  const reader = new CountedKeys();
  const outcome = ((): string => {
    try {
      for (const piece of pieces) reader.push(piece);
      const keys = reader.finish();
      return typeof keys === "number" ? "a number" : (keys ?? "unknown");
    } catch (error) {
      assert.ok(error instanceof Fault, `${what}: ${String(error)}`);
      assert.ok(error.message.length <= 200 && visibleLine(error.message) === error.message, what);
      return error.code;
    }
  })();
  const took = processorMs() - before;
  assert.ok(took < MOST_MS, `${what}: it took ${Math.round(took)} ms of processor time`);
  return outcome;
}
