import assert from "node:assert/strict";
import { test } from "node:test";
import { ownDatabase } from "./identity.ts";

const nothing = { get: () => undefined };
const redb = { metadata: { name: "orders", namespace: "team" }, status: { databaseUID: "7" } };

for (const [recorded, what] of [
  [true, "may be its own, although nothing is followed yet"],
  [false, "is gone"],
] as const)
  test(`a database that its cluster does not list ${what}, as the API server says of its record`, async () => {
    const asked: unknown[] = [];
    const list = async (_: unknown, { fieldSelector }: { readonly fieldSelector: string }): Promise<unknown> => {
      asked.push(fieldSelector);
      return { items: recorded ? [{}] : [] };
    };
    const deps = { kube: { list }, cache: { records: nothing, secrets: nothing } };
    const own = await ownDatabase(deps as never, "rec", { bdbs: [] } as never, redb as never);
    assert.deepEqual(asked, ["metadata.name=rec-db-7"]);
    if (!recorded) return assert.deepEqual(own, {});
    assert.match(own.unready?.evidence ?? "", /does not list database 7, and its record is there/);
  });
