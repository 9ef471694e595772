import type { CommandClass, CommandEntry } from "./entry.ts";
import { FORWARDED } from "./forwarded.ts";
import { HANDLED, REFUSED } from "./handled.ts";

/** Every command and subcommand of every engine that the product knows, by its name; a subcommand is `CLIENT|LIST`. */
export const COMMAND_TABLE: ReadonlyMap<string, CommandEntry> = tableOf([
  ...Object.entries(FORWARDED).flatMap(([commandClass, names]) =>
    entriesOf(commandClass as keyof typeof FORWARDED, names, ""),
  ),
  ...HANDLED.flatMap(({ commandClass, names, note }) => entriesOf(commandClass, names, note)),
  ...REFUSED.flatMap(({ why, names }) => entriesOf("refused", names, why)),
]);

/** The table, with an entry for each command that has subcommands only. */
function tableOf(entries: readonly CommandEntry[]): ReadonlyMap<string, CommandEntry> {
  const table = new Map(entries.map((entry) => [entry.name, entry]));
  if (table.size < entries.length) throw new Error("a command has two classes");
  for (const { name } of entries) {
    const container = name.split("|", 1)[0] ?? "";
    if (name.includes("|") && !table.has(container))
      table.set(container, { name: container, commandClass: "container", note: "" });
  }
  return table;
}

function entriesOf(commandClass: CommandClass, names: string, note: string): readonly CommandEntry[] {
  return names.split(" ").map((name) => ({ name, commandClass, note }));
}
