import assert from "node:assert/strict";
import { test } from "node:test";
import { parseQuery } from "./query.ts";

test("a write with a parameter that no write has is refused, whatever each object has of that name", () => {
  for (const parameter of ["dry_run", "constructor", "toString", "__proto__"]) {
    const sent: unknown = JSON.parse(`{"${parameter}":"1"}`);
    assert.throws(() => parseQuery("deleteBdb", sent), { code: "AGENT_NOT_OFFERED" }, parameter);
    assert.deepEqual(parseQuery("bdbs", sent), {}, "a read ignores it");
  }
});
