import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { PlaceClaims } from "./place-claims.ts";

/** A database with these instances; an instance has its port by its id. */
function database(uid: number, ...instances: readonly (readonly [id: number, node: number])[]): DatabaseRecord {
  const placed = instances.map(([id, node]) => on(id, node));
  return { ...factsOf({ instances: placed }).record, uid, name: `db${uid}` };
}

/** Claims of a process that has stored these, and how writes of it begin and end. */
function claimsOf(...stored: DatabaseRecord[]) {
  const claims = new PlaceClaims(() => stored);
  const write = (before: DatabaseRecord | undefined, after: DatabaseRecord) => {
    const done = Promise.withResolvers<undefined>();
    const written = claims.during(async (claim) => {
      claim(before, after);
      await done.promise;
      stored.push(after);
    });
    return { written, end: () => done.resolve(undefined), fail: () => done.reject(new Error("no answer")) };
  };
  return { claims, write };
}

const TAKEN = {
  code: "AGENT_PLACE_TAKEN",
  message: '"db2" gets no engine at port 20015 of node 2: database 1 has got this port meanwhile',
};

test("of two databases that get a port of a node at the same moment, the first has it", async () => {
  const { write } = claimsOf();
  const first = write(database(1, [1, 1]), database(1, [1, 1], [15, 2]));
  await assert.rejects(write(database(2, [2, 1]), database(2, [2, 1], [15, 2])).written, TAKEN);
  first.end();
  await first.written;
  await assert.rejects(write(database(2, [2, 1]), database(2, [2, 1], [15, 2])).written, TAKEN);
});

test("the same port of another node, and another port of the same node, are free", async () => {
  const { write } = claimsOf(database(1, [15, 2]));
  for (const after of [database(2, [15, 3]), database(3, [16, 2])]) {
    const { written, end } = write(undefined, after);
    end();
    await written;
  }
});

test("a new database gets no port that another one has, or is getting", async () => {
  const { write } = claimsOf(database(1, [15, 2]));
  await assert.rejects(write(undefined, database(2, [15, 2])).written, TAKEN);
});

test("a port whose record was not stored is free again", async () => {
  const { write } = claimsOf();
  const first = write(undefined, database(1, [15, 2]));
  first.fail();
  await assert.rejects(first.written, /no answer/);
  const second = write(undefined, database(2, [15, 2]));
  second.end();
  await second.written;
});

test("a record that already shares a port can be changed, so that its instance can go", async () => {
  const { write } = claimsOf(database(1, [15, 2]));
  const { written, end } = write(database(2, [2, 1], [15, 2]), { ...database(2, [2, 1], [15, 2]), status: "active" });
  end();
  await written;
});

test("an attempt that another writer has outrun claims nothing", async () => {
  const { claims, write } = claimsOf();
  await claims.during(async (claim) => {
    claim(database(1), database(1, [15, 2]));
    claim(database(1), database(1, [16, 2]));
    const other = write(undefined, database(2, [15, 2]));
    other.end();
    await other.written;
  });
});
