import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { Shell } from "../world/shell.ts";
import { shellBlock } from "./blocks.ts";
import { TYPED } from "./typed-blocks.ts";

/** Types blocks of pages as they stand there. */
export interface Typist {
  /** Types each command of a block, which must succeed; the output of each. */
  type(page: string, beginning: string): Promise<readonly string[]>;
  /** Throws when a block has not been typed that the table says this test types. */
  assertComplete(): void;
}

/** The typist of one test, which types what the table has for its file. */
export function typistOf(test: string, shell: Shell): Typist {
  const left = new Set<string>();
  for (const [page, rows] of Object.entries(TYPED))
    for (const [beginning, row] of Object.entries(rows)) if (row.by === test) left.add(keyOf(page, beginning));
  return {
    type: async (page, beginning) => {
      const key = keyOf(page, beginning);
      assert.ok(left.delete(key), `${key} is not for ${test}, or was typed already`);
      const except = Object.keys(TYPED[page]?.[beginning]?.except ?? {});
      const outputs: string[] = [];
      for (const command of commandsOf(shellBlock(page, beginning).text))
        if (!except.some((one) => command.startsWith(one))) outputs.push(await shell(`{ ${command}\n} < /dev/null`)); // the shell reads its own commands there
      return outputs;
    },
    assertComplete: () => {
      assert.deepEqual([...left], [], `not typed by ${test}`);
    },
  };
}

/** The commands of a block: lines, and those together that bash reads as one. */
export function commandsOf(text: string): readonly string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of text.split("\n")) {
    open += open === "" ? line : `\n${line}`;
    if (open.trim() === "") open = "";
    else if (isWhole(open)) {
      commands.push(open);
      open = "";
    }
  }
  assert.equal(open, "", "bash reads no whole command");
  return commands;
}

/** A line that ends in a backslash goes on; bash says of everything else whether its end is missing. */
function isWhole(text: string): boolean {
  if (text.endsWith("\\")) return false;
  const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
  return status === 0 && !stderr.includes("here-document");
}

function keyOf(page: string, beginning: string): string {
  return `${page}: ${beginning}`;
}
