import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../../../test/kit/engines/engine.ts";
import type { Reply } from "../../../../ports/resp/reply.ts";
import { classify } from "../commands.ts";
import type { CommandClass } from "./entry.ts";
import { COMMAND_TABLE } from "./table.ts";

/** Commands that no engine lists, and that mean something all the same. */
const NOT_LISTED = ["POST", "HOST:", "CLIENT|MAINT_NOTIFICATIONS", "WAITSITES"];

/** Name, and the words that an engine uses for what a command does. */
interface ListedCommand {
  readonly name: string;
  readonly flags: readonly unknown[];
}

const listed = new Map(
  await Promise.all(engineNames().map(async (engine) => [engine, await commandsOf(engine)] as const)),
);

for (const [engine, commands] of listed) {
  test(`${engine}: each command and subcommand has a class`, () => {
    const unknown = commands.filter(({ name }) => !COMMAND_TABLE.has(name)).map(({ name }) => name);
    assert.deepEqual(unknown, []);
  });

  test(`${engine}: what is sent twice changes nothing, and what shares a connection does not block`, () => {
    const wrong = commands.filter(({ name, flags }) => {
      const commandClass = COMMAND_TABLE.get(name)?.commandClass;
      const has = (flag: string): boolean => flags.includes(flag);
      return (commandClass === "read" && has("write")) || (isForwarded(commandClass) && has("blocking"));
    });
    assert.deepEqual(wrong, []);
  });
}

test("no entry of the table is of a command that no engine has", () => {
  const known = new Set([...listed.values()].flat().map(({ name }) => name));
  const idle = [...COMMAND_TABLE.keys()].filter((name) => !known.has(name) && !NOT_LISTED.includes(name));
  assert.deepEqual(idle, []);
});

test("a command is found by its bytes, in any case and at any place", () => {
  for (const { name, commandClass } of COMMAND_TABLE.values()) {
    if (name.includes("|")) continue;
    for (const written of [name, name.toLowerCase()]) {
      const bytes = Buffer.from(`xx${written}yy`, "latin1");
      const found = classify(bytes, 2, written.length);
      assert.equal(found?.commandClass ?? commandClass, commandClass);
      assert.equal(classify(bytes, 2, written.length + 1)?.commandClass, "unknown", written);
    }
  }
});

function isForwarded(commandClass: CommandClass | undefined): boolean {
  return commandClass === "read" || commandClass === "write";
}

async function commandsOf(engine: string): Promise<readonly ListedCommand[]> {
  await using started = await startEngine({ engine });
  return listOf(await started.call("COMMAND"));
}

function listOf(reply: Reply | undefined): readonly ListedCommand[] {
  if (!Array.isArray(reply)) return [];
  return reply.flatMap((command: Reply) => {
    if (!Array.isArray(command)) return [];
    const flags: unknown = command[2];
    const own = { name: String(command[0]).toUpperCase(), flags: Array.isArray(flags) ? flags : [] };
    return [own, ...listOf(command[9])];
  });
}
