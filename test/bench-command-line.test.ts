import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { test } from "node:test";

const ROWS: readonly (readonly [arguments: string, error: string, takes: string])[] = [
  ["moves.ts --wrong", "Unknown option '--wrong'", "[moves: 50] [upgrades: 5] [rolls: 2] [--json moves.json]"],
  ["moves.ts 10 x", '"upgrades" is a whole number, not "x"', "[moves: 50]"],
  ["moves.ts 1 2 3 4", "too many numbers: 1 2 3 4", "[moves: 50]"],
  ["links.ts --rate many", '--rate takes a number, not "many"', "[--rate 3000] [--seconds 8] [--first]"],
  ["links.ts 7", "Unexpected argument '7'", "[--rate 3000]"],
  ["proxy.ts --clients 1,,50", '--clients takes a number, not ""', "[--clients 1,50,200,1000]"],
];

for (const [words, error, takes] of ROWS)
  test(`bench/${words} starts nothing, and says what can be given`, () => {
    const [file = "", ...args] = words.split(" ");
    const { status, stdout, stderr } = spawnSync(process.execPath, [`bench/${file}`, ...args], { encoding: "utf8" });
    const [first, second = ""] = stderr.split("\n");
    assert.deepEqual([status, stdout, first], [2, "", error]);
    assert.ok(second.startsWith("It takes [") && second.includes(takes), second);
  });

test("a name that an option does not take is refused, with those that it takes", () => {
  const crowd = spawnSync(process.execPath, ["bench/crowd.ts", "--tls", "enabled,on"], { encoding: "utf8" });
  assert.deepEqual([crowd.status, crowd.stdout], [2, ""]);
  assert.equal(crowd.stderr, '--tls takes disabled, enabled, with commas between, not "on"\n');
});

for (const file of globSync("bench/*.ts").filter((each) => each !== "bench/command-line.ts"))
  test(`${file} starts nothing with a word that it does not know`, () => {
    for (const word of ["--wrong", "wrong"]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [file, word], {
        encoding: "utf8",
        timeout: 30_000,
      });
      assert.deepEqual([status, stdout], [2, ""], stderr);
    }
  });
