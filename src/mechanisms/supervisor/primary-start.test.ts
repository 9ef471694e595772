import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  awaitAofRewrite,
  callInstance,
  replicationOf,
  superviseNode,
} from "../../../test/kit/engines/supervised-node.ts";
import { directivesWith } from "../../../test/kit/facts/settings.ts";

const APPENDING = { directives: directivesWith({ persistence: "aofEverySecond" }) };

test("a primary starts by a launch number of its own, serves, and is not started twice by the same one", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  assert.equal((await replicationOf(wanted))?.role, "primary");
  assert.equal((await readFile(join(node.data, "db-1", "1", "launch"), "utf8")).trim(), "1");

  await node.restartAgent();
  await node.reconcile([wanted]);
  const { state, pid, restarts, launch } = node.report();
  assert.deepEqual({ state, pid, restarts, launch }, { state: "crashed", pid: 0, restarts: 0, launch: 1 });

  await node.serve({ ...wanted, launch: 2 });
  assert.equal(node.report().launch, 2);
});

test("a killed primary is reported crashed and waits for a higher launch number", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  await node.crash();
  await node.reconcile([wanted]);
  assert.deepEqual([node.report().state, node.report().pid], ["crashed", 0]);
  await node.serve({ ...wanted, launch: 2 });
});

test("a primary that was asked to end is reported clean by the next agent, and not so once it crashed", async () => {
  await using node = await superviseNode();
  const wanted = node.primary(APPENDING);
  await node.serve(wanted);
  await callInstance(wanted, "SET", "k", "v");
  await awaitAofRewrite(wanted, false);
  await node.restartAgent();
  await node.reconcile([{ ...wanted, fresh: false }]);
  assert.deepEqual([node.report().state, node.report().clean], ["crashed", true]);
  await node.serve({ ...wanted, fresh: false, launch: 2 });
  assert.equal(await callInstance(wanted, "GET", "k"), "v");
  await node.crash();
  assert.equal(node.report().clean, false);
});

test("a primary that ended in good order is reported so from the first moment, whatever its agent is about to do", async () => {
  await using node = await superviseNode();
  const wanted = node.primary(APPENDING);
  await node.serve(wanted);
  for (let launch = 2; launch < 8; launch++) {
    process.kill(node.report().pid, "SIGTERM");
    while (node.report().state !== "crashed") await node.reconcile([{ ...wanted, fresh: false, launch: launch - 1 }]);
    const asked = node.reconcile([{ ...wanted, fresh: false, launch: launch - 1 }]);
    assert.equal(node.report().clean, true);
    await asked;
    assert.deepEqual([node.report().state, node.report().clean], ["crashed", true]);
    await node.serve({ ...wanted, fresh: false, launch });
    assert.equal(node.report().clean, false);
  }
});

test("an engine that is asked to end while it writes its first AOF ends in good order when that is written", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  await callInstance(wanted, "DEBUG", "POPULATE", "3000");
  await callInstance(wanted, "CONFIG", "SET", "rdb-key-save-delay", "500");
  await node.reconcile([{ ...wanted, ...APPENDING }]);
  await awaitAofRewrite(wanted, true);
  await node.restartAgent();
  await node.reconcile([{ ...wanted, ...APPENDING, fresh: false }]);
  assert.deepEqual([node.report().state, node.report().clean], ["crashed", true]);
});

test("a launch is reported as used only once the process runs: a start under way never looks like a second crash", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  await node.crash();
  const started = node.reconcile([{ ...wanted, launch: 2 }]);
  while (node.report().state === "crashed") {
    assert.equal(node.report().launch, 1);
    await nextTurn();
  }
  assert.equal(node.report().launch, 2);
  await started;
});

test("a launch that is allowed while the primary runs is not left over for its next crash", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  const { pid } = node.report();
  await node.reconcile([{ ...wanted, launch: 2 }]);
  assert.deepEqual([node.report().pid, node.report().launch], [pid, 2]);
  await node.crash();
  await node.reconcile([{ ...wanted, launch: 2 }]);
  assert.equal(node.report().pid, 0);
});

test("a database that has data and lost its directory is not started empty", async () => {
  await using node = await superviseNode();
  await node.reconcile([node.primary({ fresh: false })]);
  assert.equal(node.report().state, "crashed");
  assert.equal(node.report().launch, 1);
});

test("a persistent primary that is launched again has its data", async () => {
  await using node = await superviseNode();
  const wanted = node.primary({ directives: directivesWith({ persistence: "aofAlways" }) });
  await node.serve(wanted);
  await callInstance(wanted, "SET", "kept", "yes");
  await node.crash();
  await node.serve({ ...wanted, launch: 2 });
  assert.equal(await callInstance(wanted, "GET", "kept"), "yes");
});
