import assert from "node:assert/strict";
import { test } from "node:test";
import { withStatements } from "./conditions.ts";

test("a condition shows what another site has said without its control characters, and without end no more than fits", () => {
  const said = "refused: \u001b[2Kall is well\nReady\u202e";
  const of = (message: string) => {
    const statement = { type: "ReplicationReady", status: "False", reason: "SiteDown", message } as const;
    return withStatements([], [statement], new Date(0))[0]?.message;
  };
  assert.equal(of(said), "refused: \\u001b[2Kall is well\\nReady\\u202e");
  assert.equal(of("x".repeat(1_000_000))?.length, 8_192);
});
