import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMAND_TABLE } from "../src/programs/proxy/protocol/table/table.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/engine-commands.md"), "utf8");
/** Where commands of the product itself are sent from; elsewhere, also in the room of pinned sessions, stand names of commands that clients send. */
const FOLDERS = [
  "src/programs/agent/switchover",
  "src/programs/agent/observation",
  "src/programs/agent/node",
  "src/programs/agent/leader",
  "src/programs/agent/members",
  "src/programs/proxy/upstream",
  "src/programs/proxy/scan",
  "src/programs/proxy/switchover",
  "src/mechanisms/supervisor",
  "src/mechanisms/site",
  "src/programs/link",
  "src/programs/mover",
  "src/programs/backup",
];
const NAMES = new Set([...COMMAND_TABLE.keys()].map((name) => name.split("|", 1)[0]));

for (const folder of FOLDERS)
  test(`each command that ${folder} sends to an engine has a row with its cost, and each row a command`, () => {
    assert.deepEqual(sentFrom(folder), rowsOf(folder));
  });

function sentFrom(folder: string): readonly string[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter((file) => !file.endsWith(".test.ts"));
  const words = files.flatMap((file) => [
    ...readFileSync(join(ROOT, file), "utf8").matchAll(/(?<!=== )(?<!has\()"([A-Z]{2,}(?:_RO)?)"/g),
  ]);
  return sorted(words.map(([, name = ""]) => name).filter((name) => NAMES.has(name)));
}

function rowsOf(folder: string): readonly string[] {
  const rows = PAGE.split("\n").filter((line) => line.startsWith(`| \`${folder}\` |`));
  const commands = rows.map((row) => row.split("|")[2] ?? "");
  const names = commands.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name));
  assert.equal(new Set(names).size, names.length, `${folder} has a command in two rows`);
  return sorted(names);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
