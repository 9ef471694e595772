import assert from "node:assert/strict";
import { test } from "node:test";
import { reshapedRecord } from "../../../../test/kit/facts/reshaped.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { wantedMovers, type WantedMoversContext } from "./wanted-movers.ts";

const held: Awaited<ReturnType<DatabasePasswords["of"]>> = {
  set: { password: "", others: [] },
  revision: 0,
  access: { internal: "secret", clients: [] },
  step: 0,
  certificate: undefined,
};

/** Node 3, which knows the addresses of these others. */
function wanted(record: DatabaseRecord, known: readonly number[] = [1]): ReturnType<typeof wantedMovers> {
  const context: WantedMoversContext = {
    config: { node: 3, address: "10.0.0.3" },
    records: { databases: () => [record] },
    passwords: { of: () => Promise.resolve(held) },
    engineTls: { certificate: undefined },
    members: {
      get: (node) =>
        known.includes(node)
          ? ({ report: { address: `10.0.0.${node}` } } as ReturnType<WantedMoversContext["members"]["get"]>)
          : undefined,
    },
  };
  return wantedMovers(context);
}

test("while shards are copied, the node of the mover runs it, between the primaries that serve and those to be", async () => {
  const [mover, ...others] = await wanted(reshapedRecord("copy", { attempt: 7 }));
  assert.deepEqual(others, []);
  assert.deepEqual([mover?.bdb, mover?.attempt], [1, 7]);
  assert.deepEqual(mover?.begin, {
    op: "begin",
    bdb: 1,
    sources: [{ id: 1, primary: { host: "10.0.0.1", port: 20_001 }, slots: [{ from: 0, to: 16_383 }] }],
    targets: [
      { id: 2, listen: { host: "10.0.0.3", port: 20_101 }, slots: [{ from: 0, to: 8_191 }] },
      { id: 3, listen: { host: "10.0.0.3", port: 20_102 }, slots: [{ from: 8_192, to: 16_383 }] },
    ],
    logins: [{ user: "store", password: "secret" }],
  });
});

for (const [rule, record, known, begins] of [
  ["without the address of a primary it begins later", reshapedRecord(), [], ["later"]],
  [
    "without a certificate where engines speak TLS it begins later",
    { ...reshapedRecord(), tlsMode: "enabled" },
    [1],
    ["later"],
  ],
  ["while clients are held none begins", reshapedRecord("hold"), [1], ["no more"]],
  ["while the former shards come back none begins", reshapedRecord("return"), [1], ["no more"]],
  [
    "the mover of another node is none of this one",
    reshapedRecord("copy", { mover: { node: 2, ports: [1, 2] } }),
    [1],
    [],
  ],
  ["a database that is being deleted needs none", { ...reshapedRecord(), status: "delete-pending" }, [1], []],
] as const satisfies readonly (readonly [string, DatabaseRecord, readonly number[], readonly string[]])[])
  test(rule, async () => {
    const found = await wanted(record, known);
    assert.deepEqual(
      found.map(({ begin }) => begin),
      begins,
    );
  });
