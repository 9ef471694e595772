import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { argumentsOf, type CommandFrame } from "../../../ports/resp/command-frame.ts";
import { LINK_DATABASE, LINK_KEYS } from "../saved/marks.ts";
import { Passage } from "./passage.ts";

const MARK = `SET ${LINK_KEYS.mark} here`;

interface Case {
  readonly rule: string;
  /** Parts of a stream, as they come. */
  readonly parts: readonly (readonly string[])[];
  /** What comes behind the mark, of the part in which that ends; undefined while it has not ended. */
  readonly behind: readonly string[] | undefined;
}

const cases: readonly Case[] = [
  {
    rule: "it ends with the transaction of the mark",
    parts: [["MULTI", MARK, "SET k v", "EXEC", "SET after 1"]],
    behind: ["SET after 1"],
  },
  {
    rule: "it ends with the mark where an engine passes on a transaction of one write without its MULTI",
    parts: [["SET before 1", MARK, "SET after 1"]],
    behind: ["SET after 1"],
  },
  {
    rule: "a transaction before the mark ends nothing",
    parts: [["MULTI", "SET k v", "SET l v", "EXEC"], [MARK]],
    behind: [],
  },
  {
    rule: "it goes on while the rest of the transaction has not come",
    parts: [["MULTI", MARK], ["SET k v"]],
    behind: undefined,
  },
  {
    rule: "it ends in the part in which the rest of the transaction comes",
    parts: [
      ["MULTI", MARK],
      ["EXEC", "SET after 1"],
    ],
    behind: ["SET after 1"],
  },
  {
    rule: "another mark ends nothing",
    parts: [[`SET ${LINK_KEYS.mark} there`]],
    behind: undefined,
  },
];

for (const { rule, parts, behind } of cases)
  test(rule, () => {
    const passage = new Passage("here", LINK_KEYS);
    let found: readonly CommandFrame[] = [];
    for (const part of parts) found = passage.behind(part.map(commandOf));
    assert.equal(passage.isOver, behind !== undefined);
    if (behind !== undefined)
      assert.deepEqual(
        found.map(({ frame }) => argumentsOf(frame).join(" ")),
        behind,
      );
  });

function commandOf(text: string): CommandFrame {
  const words = text.split(" ");
  return { name: words[0] ?? "", frame: encodeCommand(words), database: LINK_DATABASE };
}
