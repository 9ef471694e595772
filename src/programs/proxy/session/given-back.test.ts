import assert from "node:assert/strict";
import { test } from "node:test";
import { NotedMemory } from "../../../../test/kit/engines/noted-memory.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { TableCrossing } from "./table-crossing.ts";

type Parts = ConstructorParameters<typeof TableCrossing>[0];

test("a request that is taken back comes before those that are left, which came behind it", () => {
  const offered: string[] = [];
  const endpoint = { memory: new NotedMemory(2 ** 20), table: undefined, routes: [{}], counters: { resent: 0 } };
  const turns = {
    isWaiting: false,
    take: (request: Buffer) => {
      offered.push(request.toString("latin1").split("\r\n")[4] ?? "");
      return true;
    },
  };
  const free = { shared: { open: true }, output: { congested: false } };
  const parts = {
    ...free,
    endpoint,
    turns,
    life: { ended: false },
    work: { hasPending: false },
    uploads: {},
    pinned: {},
  };
  const crossing = new TableCrossing(parts as unknown as Parts, () => undefined); // these are all that are used
  for (const name of ["last", "second", "first"]) crossing.giveBack(encodeCommand(["GET", name]));
  assert.equal(crossing.isDue, true);
  crossing.goOn();
  assert.deepEqual([offered, crossing.isDue], [["first", "second", "last"], false]);
});
