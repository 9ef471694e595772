import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { until } from "#kit/testing/until";
import { startLoadProcess } from "./load-process.ts";

const nothing = { host: "127.0.0.1", port: 1, password: "", connections: 1, gapMs: 1 };

test("a load writes in a process of its own and answers for every write in the end", async () => {
  await using engine = await startEngine();
  const { host, port } = engine;
  const load = await startLoadProcess({ host, port, password: "", connections: 3, gapMs: 1 });
  await load.enter("operator");
  await until("it has work to show", async () =>
    (await load.numbers()).phases.some(({ phase, requests }) => phase === "operator" && requests > 20),
  );
  assert.match(await load.engine(), /^(redis|valkey|redict) \d/);
  const { ledger, failures } = await load.finish();
  assert.deepEqual(failures, []);
  assert.ok(ledger.acknowledgedWrites > 0);
  assert.equal(ledger.lostWrites, 0);
});

test("a load is not confused by what an earlier one has left in the database", async () => {
  await using engine = await startEngine();
  const { host, port } = engine;
  for (const turn of ["first", "second"]) {
    const load = await startLoadProcess({ host, port, password: "", connections: 1, gapMs: 1 });
    await until("it has counted", async () => (await load.numbers()).phases.some(({ requests }) => requests > 10));
    assert.equal((await load.finish()).ledger.incrementDrift, 0, turn);
  }
});

test("a load that cannot connect says what keeps it from that", async () => {
  await assert.rejects(startLoadProcess(nothing), /connect ECONNREFUSED 127\.0\.0\.1:1/);
});

test("a load whose process ends answers all questions with its end, and so does one that cannot be started", async () => {
  await assert.rejects(startLoadProcess(nothing, ["sh", "-c", "exit 3"]), /has ended \(exit code 3\)/);
  await assert.rejects(startLoadProcess(nothing, ["/nowhere/load"]), /cannot be started: .*ENOENT/);
});
