import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { openModule } from "../../src/ports/modules/archive.ts";
import { faults } from "../../src/ports/modules/faults.ts";
import { mutatedBytes, mutatedJson } from "../kit/fuzz/mutate.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { zipOf } from "../kit/modules/zip.ts";
import { seededDice, type Dice } from "../kit/world/chaos.ts";
import { processorMs } from "#kit/testing/processor-ms";

/** A seed replays the archives; `FUZZ_ARCHIVES=100000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const archives = Number(process.env["FUZZ_ARCHIVES"] ?? 1_500);
/** Of one archive of some kilobytes. */
const MOST_MS = 2_000;
const MOST_MIB = 600;
const KNOWN: readonly string[] = [faults.notAnArchive.code, faults.unsafeArchive.code, faults.badManifest.code];

const LIBRARY = Buffer.concat([Buffer.from("\x7fELF"), Buffer.alloc(4_000, "module")]);
const MANIFEST = {
  module_name: "tally",
  display_name: "Tally",
  semantic_version: "1.0.0",
  compatible_redis_version: "8.0",
  architecture: "x86_64",
  operating_systems: ["rhel9"],
  commands: [{ command_name: "tally.add" }],
};
const NAMES = [
  "module.json",
  "tally.so",
  "../tally.so",
  "/tally.so",
  "a\\b.so",
  "x/",
  "\0.so",
  "💾.so",
  "a".repeat(70_000),
];

await test(`a module archive is opened or refused with a reason, soon and with little memory (FUZZ_SEED=${seed})`, async () => {
  const valid = await tallyArchive({ compatible: "8.0", library: LIBRARY });
  assert.equal(await opened(valid, "the valid one"), "opened");
  const outcomes = new Map<string, number>();
  for (let number = 0; number < archives; number += 1) {
    const outcome = await opened(anArchive(seededDice(seed + number), valid), `FUZZ_SEED=${seed + number}`);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  for (const expected of ["opened", ...KNOWN]) assert.ok(outcomes.has(expected), `none was ${expected}`);
  const { rss } = process.memoryUsage();
  assert.ok(rss < MOST_MIB << 20, `${rss >> 20} MiB are taken`);
});

/** What it came to, within its time. */
async function opened(archive: Buffer, what: string): Promise<string> {
  const before = processorMs();
  const outcome = await openModule(new Blob([new Uint8Array(archive)])).then(
    async (module) => {
      await module[Symbol.asyncDispose]();
      return "opened";
    },
    (error: unknown) => {
      assert.ok(error instanceof Fault, `${what}: ${String(error)}`);
      return error.code;
    },
  );
  assert.ok(["opened", ...KNOWN].includes(outcome), `${what}: ${outcome}`);
  const took = processorMs() - before;
  assert.ok(took < MOST_MS, `${what}: it took ${Math.round(took)} ms of processor time`);
  return outcome;
}

/** Damaged on its way, or packed with care to do harm. */
function anArchive(dice: Dice, valid: Buffer): Buffer {
  const kind = dice();
  if (kind < 0.5) return mutatedBytes(dice, valid);
  if (kind < 0.8)
    return zipOf([
      { name: "module.json", data: JSON.stringify(mutatedJson(dice, MANIFEST)) },
      { name: "tally.so", data: LIBRARY },
    ]);
  return zipOf(Array.from({ length: Math.floor(dice() * 70) }, () => anEntry(dice)));
}

function anEntry(dice: Dice) {
  const one = <T>(values: readonly T[]): T | undefined => values[Math.floor(dice() * values.length)];
  const data = one([LIBRARY, Buffer.from(JSON.stringify(MANIFEST)), Buffer.alloc(0), Buffer.alloc(300_000)]) ?? LIBRARY;
  return {
    name: dice() < 0.3 ? (one(NAMES) ?? "x").slice(0, 65_535) : `file-${Math.floor(dice() * 1_000)}.so`,
    data,
    mode: one([0o100644, 0o120777, 0o040755, 0o020666, 0]) ?? 0,
    claimedSize: dice() < 0.2 ? (one([0, 1, 0xffffffff, data.length + 1]) ?? 0) : data.length,
  };
}
